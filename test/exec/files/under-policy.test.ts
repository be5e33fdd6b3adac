import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../policy/support/profiles.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  base64,
  contextFor,
  fileClient,
  hostFor,
  uri,
  WORKSPACE_WRITE,
} from "./support/file-client.ts";

const READ_ONLY = { code: -32603, message: "Read-only file system (os error 30)" };
const DENIED = { code: -32600, message: "Permission denied (os error 13)" };
const MISSING = { code: -32004, message: "No such file or directory (os error 2)" };
const data = { dataBase64: base64("new") };

/** A workspace `ws`, a folder `out` beside it, and a client whose every call is under the rules. */
function layOut(rules: readonly Rule[] = WORKSPACE_WRITE, host = hostFor()) {
  const base = fs.realpathSync(
    temporaryFolder({
      "ws/f": "text",
      "ws/.git/config": "git",
      "out/f": "secret",
      "out/d/f": "deep",
    }),
  );
  const { call } = fileClient(host);
  const sandbox = contextFor(
    path.join(base, "ws"),
    rules.map(([target, ...rest]): Rule => [target.replace(/^(glob:)?~/, `$1${base}`), ...rest]),
  );
  const ask = async (method: string, name: string, more = {}) => {
    const at = { path: uri(base, name), ...(method === "writeFile" && data), sandbox, ...more };
    const { error, result } = await call(`fs/${method}`, at);
    return error ?? result;
  };
  const copy = async (from: string, to: string) =>
    (
      await call("fs/copy", {
        sourcePath: uri(base, from),
        destinationPath: uri(base, to),
        recursive: true,
        sandbox,
      })
    ).error;
  return { base, call, sandbox, ask, copy };
}

it("61 a copy that meets what is denied is not begun again, also where the view was kept", async () => {
  const { base, ask, copy } = layOut([...WORKSPACE_WRITE, ["~/ws/t/denied", "deny"]]);
  fs.mkdirSync(path.join(base, "ws/t"));
  fs.writeFileSync(path.join(base, "ws/t/denied"), "");
  for (let count = 0; count < 50; count += 1) fs.symlinkSync("x", path.join(base, `ws/t/${count}`));
  expect(await ask("readFile", "out/f")).toEqual({ dataBase64: base64("secret") });
  expect(await copy("ws/t", "ws/new")).toEqual(DENIED);
});

describe("under workspace-write", () => {
  it("writes in the workspace only, and reads everywhere", async () => {
    const { ask } = layOut();
    expect(await ask("writeFile", "ws/f")).toEqual({});
    expect(await ask("createDirectory", "ws/a/b")).toEqual({});
    expect(await ask("readFile", "out/f")).toEqual({ dataBase64: base64("secret") });
    for (const [method, name] of [
      ["writeFile", "out/f"],
      ["writeFile", "out/new"],
      ["createDirectory", "out/new"],
      ["remove", "out/f"],
      ["remove", "out"],
    ] as const) {
      expect(await ask(method, name)).toEqual(READ_ONLY);
    }
  });

  it("keeps protected names, also one that is missing", async () => {
    const { base, ask } = layOut();
    for (const [method, name] of [
      ["writeFile", "ws/.git/config"],
      ["writeFile", "ws/.git/hooks"],
      ["remove", "ws/.git"],
      ["createDirectory", "ws/.codex"],
      ["createDirectory", "ws/.codex/skills"],
      ["writeFile", "ws/.mcp.json"],
    ] as const) {
      expect(await ask(method, name)).toEqual(READ_ONLY);
    }
    expect(await ask("getMetadata", "ws/.codex")).toEqual(MISSING);
    expect(fs.readdirSync(path.join(base, "ws")).toSorted()).toEqual([".git", "f"]);
  });

  it("keeps the folder that a .git file points to", async () => {
    const { base, ask } = layOut();
    fs.rmSync(path.join(base, "ws/.git"), { recursive: true });
    fs.mkdirSync(path.join(base, "ws/store/hooks"), { recursive: true });
    fs.writeFileSync(path.join(base, "ws/.git"), "gitdir: store\n");
    expect(await ask("writeFile", "ws/store/hooks/x")).toEqual(READ_ONLY);
  });

  it("74 does not leave the workspace through a link", async () => {
    const { base, ask, copy } = layOut();
    fs.symlinkSync("../out", path.join(base, "ws/l"));
    fs.symlinkSync("../out/f", path.join(base, "ws/lf"));
    expect(await ask("writeFile", "ws/l/f")).toEqual(READ_ONLY);
    expect(await ask("writeFile", "ws/lf")).toEqual(READ_ONLY);
    expect(await ask("writeFile", "ws/l/new")).toEqual(READ_ONLY);
    expect(await ask("createDirectory", "ws/l/new")).toEqual(READ_ONLY);
    expect(await ask("remove", "ws/l/f")).toEqual(READ_ONLY);
    expect(await ask("open", "ws/lf", { handleId: "h", mode: "replace" })).toEqual(READ_ONLY);
    expect(await copy("ws/f", "ws/l/copy")).toEqual(READ_ONLY);
    expect(await copy("ws/f", "ws/lf")).toEqual(READ_ONLY);
    expect(await ask("remove", "ws/l")).toEqual({});
    expect(fs.readFileSync(path.join(base, "out/f"), "utf8")).toBe("secret");
    expect(fs.readdirSync(path.join(base, "out")).toSorted()).toEqual(["d", "f"]);
  });

  it("D2 makes nothing through a link that leads nowhere", async () => {
    const { base, ask } = layOut();
    fs.symlinkSync("later", path.join(base, "ws/l"));
    const loop = { code: -32603, message: "Symbolic link loop (os error 40)" };
    expect(await ask("writeFile", "ws/l")).toEqual(loop);
    expect(await ask("open", "ws/l", { handleId: "h", mode: "replace" })).toEqual(loop);
    expect(await ask("createDirectory", "ws/l")).toMatchObject({ code: -32603 });
    expect(fs.existsSync(path.join(base, "ws/later"))).toBe(false);
  });

  it("75 writes through a hard link in the workspace", async () => {
    const { base, ask } = layOut();
    fs.linkSync(path.join(base, "out/f"), path.join(base, "ws/hard"));
    expect(await ask("writeFile", "ws/hard")).toEqual({});
    expect(fs.readFileSync(path.join(base, "out/f"), "utf8")).toBe("new");
  });

  it("removes what it may and then says what it may not", async () => {
    const { base, ask } = layOut();
    expect(await ask("remove", "ws")).toEqual(READ_ONLY);
    expect(fs.existsSync(path.join(base, "ws/.git/config"))).toBe(true);
  });

  it("sees what changed since the last call", async () => {
    const { base, ask } = layOut([
      [":root", "read"],
      ["~/ws/later", "write"],
    ]);
    expect(await ask("writeFile", "ws/later/f")).toMatchObject({ code: -32004 });
    fs.mkdirSync(path.join(base, "ws/later"));
    expect(await ask("writeFile", "ws/later/f")).toEqual({});
  });

  it("shows nothing of the processes and devices of the host", async () => {
    const { call, sandbox } = layOut();
    for (const at of ["/proc/self/environ", "/proc/1/status", "/dev/null", "/proc/self/root/etc"]) {
      expect((await call("fs/readFile", { path: uri(at), sandbox })).error).toEqual(DENIED);
    }
  });
});

describe("under rules", () => {
  it("71 tolerates a missing readable path; a missing writable one grants nothing", async () => {
    const { ask } = layOut([
      [":root", "read"],
      ["~/gone", "read"],
      ["~/ws/none", "write"],
    ]);
    expect(await ask("readFile", "ws/f")).toHaveProperty("dataBase64");
    expect(await ask("createDirectory", "ws/none")).toEqual(READ_ONLY);
  });

  it("72 hides a denied path and what a pattern matches", async () => {
    const { base, ask } = layOut([
      ...WORKSPACE_WRITE,
      ["~/out", "deny"],
      ["glob:~/ws/**/*.env", "deny"],
    ]);
    fs.writeFileSync(path.join(base, "ws/x.env"), "key");
    expect(await ask("readFile", "out/f")).toEqual(DENIED);
    expect(await ask("readDirectory", "out")).toEqual(DENIED);
    expect(await ask("getMetadata", "out/f")).toEqual(DENIED);
    expect(await ask("readFile", "ws/x.env")).toEqual(DENIED);
    expect(await ask("writeFile", "ws/x.env")).toEqual(DENIED);
    expect(await ask("writeFile", "ws/new.env")).toEqual(DENIED);
    expect(await ask("readFile", "ws/none.env")).toEqual(MISSING);
    fs.symlinkSync("x.env", path.join(base, "ws/plain"));
    fs.symlinkSync("plain", path.join(base, "ws/link.env"));
    expect(await ask("readFile", "ws/plain")).toEqual(DENIED);
    expect(await ask("readFile", "ws/link.env")).toEqual(DENIED);
    expect(fs.readFileSync(path.join(base, "ws/x.env"), "utf8")).toBe("key");
  });

  it("72 hides a denied path that was made just now", async () => {
    const { base, ask } = layOut([
      [":root", "read"],
      [":workspace_roots", "write"],
      ["~/ws/secret", "deny"],
      ["~/out/later", "deny"],
    ]);
    for (const name of ["ws/secret", "out/later"]) {
      expect(await ask("readFile", name)).toEqual(MISSING);
      fs.writeFileSync(path.join(base, name), "secret");
      expect(await ask("readFile", name)).toEqual(DENIED);
    }
  });

  it("72 keeps a pattern that leads through a link, also for what was made just now", async () => {
    const open: Rule[] = [...WORKSPACE_WRITE, ["~/out", "write"]];
    const { base, ask } = layOut([...open, ["glob:~/docs/*.env", "deny"]]);
    const plain = layOut([...open, ["glob:~/ws/docs/*.env", "deny"]]);
    fs.mkdirSync(path.join(plain.base, "ws/docs"));
    expect(await plain.ask("writeFile", "ws/docs/x.env")).toEqual(DENIED);
    fs.symlinkSync("out", path.join(base, "docs"));
    expect(await ask("readFile", "docs/f")).toHaveProperty("dataBase64");
    fs.writeFileSync(path.join(base, "out/new.env"), "key");
    expect(await ask("readFile", "docs/new.env")).toEqual(DENIED);
    expect(await ask("writeFile", "docs/later.env")).toEqual(DENIED);
    expect(await ask("getMetadata", "docs/new.env")).toMatchObject({ isFile: false, size: 0 });
    expect(fs.existsSync(path.join(base, "out/later.env"))).toBe(false);
  });

  it("72 refuses what a pattern denies behind a link that the same calls could remove", async () => {
    const { base, ask } = layOut([...WORKSPACE_WRITE, ["glob:~/ws/secrets/**", "deny"]]);
    fs.symlinkSync("../out", path.join(base, "ws/secrets"));
    const refusal = {
      code: -32600,
      message: expect.stringContaining(`only because the link "${base}/ws/secrets" leads there`),
    };
    expect(await ask("remove", "ws/secrets", { force: true })).toMatchObject(refusal);
    expect(await ask("readFile", "out/f")).toMatchObject(refusal);
    fs.unlinkSync(path.join(base, "ws/secrets"));
    expect(await ask("readFile", "ws/f")).toHaveProperty("dataBase64");
  });

  it("72 tells nothing of the size of what is hidden", async () => {
    const { base, ask, copy } = layOut([
      ...WORKSPACE_WRITE,
      ["~/out/f", "deny"],
      ["~/out/d", "deny"],
    ]);
    const nothing = { isSymlink: false, size: 0, createdAtMs: 0, modifiedAtMs: 0 };
    expect(await ask("getMetadata", "out/f")).toEqual({
      ...nothing,
      isDirectory: false,
      isFile: false,
    });
    expect(await ask("getMetadata", "out/d")).toEqual({
      ...nothing,
      isDirectory: true,
      isFile: false,
    });
    expect(await copy("out", "ws/copy")).toMatchObject({ code: -32600 });
    expect(fs.existsSync(path.join(base, "ws/copy/f"))).toBe(false);
  });

  it("73 opens what is writable inside what is denied", async () => {
    const { base, ask } = layOut([
      ...WORKSPACE_WRITE,
      ["~/ws/closed", "deny"],
      ["~/ws/closed/open", "write"],
    ]);
    fs.mkdirSync(path.join(base, "ws/closed/open"), { recursive: true });
    fs.writeFileSync(path.join(base, "ws/closed/f"), "");
    expect(await ask("writeFile", "ws/closed/open/f")).toEqual({});
    expect(await ask("readFile", "ws/closed/f")).toEqual(MISSING);
    expect(await ask("readDirectory", "ws/closed")).toEqual(DENIED);
  });

  it("73 does not tell what a pattern matches inside what is denied", async () => {
    const { base, ask } = layOut([
      ...WORKSPACE_WRITE,
      ["~/out", "deny"],
      ["~/out/d", "read"],
      ["glob:~/out/**/*.env", "deny"],
    ]);
    fs.writeFileSync(path.join(base, "out/x.env"), "key");
    expect(await ask("getMetadata", "out/x.env")).toEqual(MISSING);
    expect(await ask("readFile", "out/x.env")).toEqual(MISSING);
  });

  it("77 shows only what is granted, and nothing beside it", async () => {
    const { base, ask } = layOut([
      [":minimal", "read"],
      [":workspace_roots", "read"],
    ]);
    expect(await ask("readFile", "ws/f")).toHaveProperty("dataBase64");
    expect(await ask("readFile", "out/f")).toEqual(MISSING);
    expect(await ask("readDirectory", ".")).toEqual({
      entries: [{ fileName: "ws", isDirectory: true, isFile: false }],
    });
    fs.symlinkSync("../out/f", path.join(base, "ws/l"));
    expect(await ask("readFile", "ws/l")).toEqual(MISSING);
    expect(await ask("getMetadata", "ws/l")).toEqual(MISSING);
  });

  it("hides what is writ's own whatever is granted", async () => {
    const home = fs.realpathSync(temporaryFolder({ f: "records" }));
    const { call, sandbox } = layOut([[":root", "write"]], hostFor({}, [home]));
    const at = { path: uri(home, "f"), sandbox };
    expect((await call("fs/readFile", at)).error).toEqual(DENIED);
    expect((await call("fs/remove", at)).error).toEqual(DENIED);
  });
});

describe("a context", () => {
  it("82 that cannot be kept is refused, and nothing is done", async () => {
    const { base, ask } = layOut([...WORKSPACE_WRITE, ["~/ws/l/inner", "deny"]]);
    fs.symlinkSync("../out", path.join(base, "ws/l"));
    expect(await ask("writeFile", "ws/f")).toMatchObject({ code: -32600 });
    expect(fs.readFileSync(path.join(base, "ws/f"), "utf8")).toBe("text");
  });

  it("83 with a path of another system is refused", async () => {
    const { ask, sandbox } = layOut();
    const entry = { path: { type: "path", path: "file:///C:/x" }, access: "read" };
    const { permissions } = sandbox;
    const entries = [...permissions.file_system.entries, entry];
    const foreign = {
      ...sandbox,
      permissions: { ...permissions, file_system: { ...permissions.file_system, entries } },
    };
    expect(await ask("readFile", "ws/f", { sandbox: foreign })).toMatchObject({ code: -32600 });
  });

  it("with symbols and no place for them is refused", async () => {
    const { ask, sandbox } = layOut();
    const { cwd: _, workspaceRoots: __, ...nowhere } = sandbox;
    expect(await ask("readFile", "ws/f", { sandbox: nowhere })).toMatchObject({ code: -32600 });
  });

  it.each([
    ["an unknown restriction", { denyEverything: true }],
    ["an unknown level", { windowsSandboxLevel: "none" }],
  ])("with %s is a bad parameter", async (_, more) => {
    const { ask, sandbox } = layOut();
    expect(await ask("readFile", "ws/f", { sandbox: { ...sandbox, ...more } })).toMatchObject({
      code: -32602,
    });
  });

  it.each([["text"], [1], [[]], [{}]])("that is %j is a bad parameter", async (sandbox) => {
    expect(await layOut().ask("readFile", "ws/f", { sandbox })).toMatchObject({ code: -32602 });
  });

  it("84 85 that waives the sandbox gives direct access", async () => {
    const { ask, sandbox } = layOut();
    const disabled = { ...sandbox, permissions: { type: "disabled" } };
    for (const one of [disabled, null, undefined]) {
      expect(await ask("writeFile", "out/f", { sandbox: one })).toEqual({});
    }
  });

  it("84 that trusts a sandbox nobody vouches for reads only", async () => {
    const { ask, sandbox } = layOut();
    const external = { ...sandbox, permissions: { type: "external", network: "restricted" } };
    expect(await ask("writeFile", "out/f", { sandbox: external })).toEqual(READ_ONLY);
    expect(await ask("readFile", "out/f", { sandbox: external })).toHaveProperty("dataBase64");
  });

  it("85 is required where the operator says so", async () => {
    const { base } = layOut();
    const { call } = fileClient(hostFor({ waivers: "refused" }));
    expect((await call("fs/readFile", { path: uri(base, "ws/f") })).error?.code).toBe(-32600);
  });
});
