/**
 * Cases 122 to 131: what the code of a session may do, by the options of its server.
 *
 * Case 127, rules for domains, is not offered while there is no proxy: such options are refused, as
 * case 128 has it. Cases 144 to 148 are about `writ install`, which has tests of its own.
 */
import { existsSync, mkdirSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Place, placeFor, USERS } from "../../support/sandbox-user.ts";
import { openRepl } from "./support/open-repl.ts";
import { writes } from "./support/writes.ts";

const LANGUAGES = ["python", "node", "bash", "r"];
const ALL = LANGUAGES.flatMap((language) => ["--language", language]);

/** A port of this host on which somebody listens. */
async function listening(): Promise<number> {
  const server = net.createServer((socket) => socket.end());
  onTestFinished(() => void server.close());
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe.each(USERS)("the sandbox of a session (%s)", (user) => {
  it.each([
    ["122", "workspace-write", ["inside"]],
    ["124", "read-only", []],
    ["125", "danger-full-access", ["inside", "outside"]],
  ])("%s: %s lets code of every language write to %j", async (_, mode, seen) => {
    const place = placeFor(user);
    const client = await openRepl({ place, flags: [...ALL, "--sandbox", mode] });
    for (const language of LANGUAGES) {
      const [inside, outside] = [place.workspace, place.outside].map((one) => `${one}/${language}`);
      await client.call(writes(language, inside ?? ""), { language });
      await client.call(writes(language, outside ?? ""), { language });
      const found = { inside: existsSync(inside ?? ""), outside: existsSync(outside ?? "") };
      expect(Object.entries(found).flatMap(([name, is]) => (is ? [name] : []))).toEqual(seen);
    }
  });

  it("124: read-only leaves each session a temporary folder", async () => {
    const client = await openRepl({ user, flags: [...ALL, "--sandbox", "read-only"] });
    for (const [language, code] of [
      ["python", "import os\nopen(os.environ['TMPDIR'] + '/f', 'w').close()\nprint('wrote')"],
      ["node", "require('fs').writeFileSync(process.env.TMPDIR + '/f', ''); console.log('wrote')"],
      ["bash", 'echo x > "$TMPDIR/f" && echo wrote'],
      ["r", 'cat("x", file = file.path(Sys.getenv("TMPDIR"), "f")); cat("wrote\\n")'],
    ]) {
      expect((await client.call(code ?? "", { language: language ?? "" })).text).toContain("wrote");
    }
  });

  it("123: what decides about repositories and agents is read-only, there or not", async () => {
    const place = placeFor(user);
    mkdirSync(path.join(place.workspace, ".git"));
    const client = await openRepl({ place, flags: ["--language", "python"] });
    for (const name of [".git", ".codex", ".agents"]) {
      const code = `import os\nos.makedirs("${name}", exist_ok=True)\nopen("${name}/x", "w")`;
      const { text } = await client.call(code);
      expect(text).toMatch(/OSError|PermissionError/);
      expect(existsSync(path.join(place.workspace, name, "x"))).toBe(false);
    }
  });

  it.each([
    ["denied", []],
    ["reached", ["--config", "sandbox_workspace_write.network_access=true"]],
  ])("126: the network is %s with %j", async (outcome, flags) => {
    const port = await listening();
    const client = await openRepl({ user, flags: ["--language", "python", ...flags] });
    const { text } = await client.call(
      `import socket\ntry:\n    _ = socket.create_connection(("127.0.0.1", ${port}), 5)\n    print("reached")\nexcept OSError:\n    print("denied")`,
    );
    expect(text).toBe(`${outcome}\n`);
  });

  it("131: code sees none of the server's secrets and of our variables", async () => {
    const env = { EXAMPLE_API_KEY: "hidden-secret", MCP_REPL_INTERPRETER: "r", PLAIN: "shown" };
    const client = await openRepl({ user, env, flags: ALL });
    for (const [language, code] of [
      ["python", "import os\nprint(dict(os.environ))"],
      ["node", "console.log(process.env)"],
      ["bash", "env"],
      ["r", "print(Sys.getenv())"],
    ]) {
      const { text } = await client.call(code ?? "", { language: language ?? "" });
      expect(text).toContain("TMPDIR");
      expect(text).not.toMatch(/MCP_REPL_|WRIT_|hidden-secret/);
    }
  });

  it.each([
    ["128", ["--add-allowed-domain", "https://x/y"]],
    ["128", ["--add-allowed-domain", "*"]],
    ["127", ["--config", 'permissions.network.allowed_domains=["localhost"]']],
    ["129", ["--sandbox", "read-only", "--add-writable-root", "/x"]],
    ["130", ["--add-writable-root", "rel"]],
  ])("%s: %j is refused at the start", (_, flags) => {
    const place: Place = placeFor(user);
    const { status, stderr, stdout } = place.run(["repl", "--language", "bash", ...flags]);
    expect(status).toBe(2);
    expect(stderr).toContain("Cannot use");
    expect(stdout).toBe("");
  });
});
