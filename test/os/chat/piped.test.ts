import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { AppLab } from "../app-server/support/app-lab.ts";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { talk } from "./support/talk.ts";

const isThere = ({ workspace }: Place, name: string) => existsSync(path.join(workspace, name));

describe.each(USERS)("writ chat in a pipe, as %s", (user) => {
  it("shows a newcomer a command, a denial with its reason, and a changed policy", async () => {
    const place = placeFor(user);
    writeFileSync(path.join(place.workspace, "seen.txt"), "x");
    const { status, out, err } = await talk(place, [
      ...["ls", "touch no.txt", "/policy workspace-write", "touch yes.txt", "/policy"],
    ]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const welcome = out.slice(0, out.indexOf("\n> ls\n"));
    expect(welcome.split("\n").length).toBeLessThanOrEqual(6);
    expect(welcome).toContain("/policy workspace-write");
    expect(out).toMatch(/\$ ls\n(?:\|.*\n)*\| seen\.txt\n- exit 0, /);
    expect(out).toContain(
      `- Probably denied: to write "${place.workspace}/no.txt" (rule: ":root" = "read").\n- What would open it: "${place.workspace}/no.txt" = "write" in [permissions.NAME.filesystem] (`,
    );
    expect(out).toMatch(
      /must be writable\)\.\n- exit 1, .*\n< It ended with exit code 1\. Probably denied: .*\n>/,
    );
    expect(out).toMatch(
      /- From the next turn on: workspace-write, network off, digest [0-9a-f]{16}/,
    );
    expect(out).toMatch(/- digest {3}[0-9a-f]{16}, here [0-9a-f]{16}\n- lossy {4}no\n/);
    expect([isThere(place, "no.txt"), isThere(place, "yes.txt")]).toEqual([false, true]);
  });

  it("ends by /quit, though more could come through the pipe", async () => {
    const { status, out } = await talk(placeFor(user), ["echo hi", "/quit"], { pipe: "stays" });
    expect(status).toBe(0);
    expect(out).toMatch(/\| hi\n(?:.*\n)*> \/quit\n$/);
  });

  it("takes the next line for an answer, and everything but a yes for a no", async () => {
    const place = placeFor(user);
    const touch = (name: string) => `escalate touch ${place.outside}/${name}`;
    const { status, out } = await talk(place, [
      ...[touch("yes"), "y", touch("no"), "n", touch("line"), "touch x", touch("end")],
    ]);
    expect(status).toBe(0);
    expect(out.match(/\? May this run/g)).toHaveLength(4);
    const made = ["yes", "no", "line", "end"].filter((name) =>
      existsSync(path.join(place.outside, name)),
    );
    expect(made).toEqual(["yes"]);
    expect(out).toContain("- No, since that is not one of the answers.\n");
    expect(out).toContain("- No, since nobody is there to answer.\n");
  });

  it("asks once for what was answered for the session", async () => {
    const place = placeFor(user);
    const line = `escalate touch ${place.outside}/again`;
    const { out } = await talk(place, [line, "a", line, "say done"]);
    expect(out.match(/\? May this run/g)).toHaveLength(1);
    expect(out).toContain("< done\n");
  });

  it("stops the turn by c, and goes on with the next line", async () => {
    const { out, status } = await talk(placeFor(user), ["escalate id", "c", "say next"]);
    expect(status).toBe(0);
    expect(out).toContain("- The turn was stopped.\n> say next\n< next\n");
  });

  it("explains paths by the policy that holds, also after it changed", async () => {
    const place = placeFor(user);
    const { out } = await talk(place, [
      ...["/explain a", "/policy workspace-write", "/explain a", "/explain .git/x"],
    ]);
    expect(out).toContain(`- read   ${place.workspace}/a\n-        ":root" = "read"`);
    expect(out).toContain(`- write  ${place.workspace}/a\n-        ":workspace_roots" = "write"`);
    expect(out).toContain(`- read   ${place.workspace}/.git/x\n`);
  });

  it("lists receipts, the newest first, and goes on with a thread under its policy", async () => {
    const place = placeFor(user);
    const first = await talk(place, ["true", "touch one", "/receipts"], {
      flags: ["--sandbox", "workspace-write"],
    });
    expect(first.out).toMatch(/- \w{8} {2}exit 0 .* touch one\n- \w{8} {2}exit 0 .* true\n/);
    const again = await talk(place, ["touch two", "/sessions"], { flags: ["--resume"] });
    expect(again.out).toContain("> touch one\n$ touch one\n");
    expect(again.out).toContain("Policy: workspace-write");
    expect(isThere(place, "two")).toBe(true);
    expect(again.out).toMatch(/- {2}1\* +\d+[sm] {2}\S+ {2}true\n/);
    const listed = await talk(place, ["/sessions", "/resume 1", "touch three"]);
    expect(listed.out).toContain("> touch two\n$ touch two\n");
    expect(isThere(place, "three")).toBe(true);
  });
});

describe("writ chat in a pipe", () => {
  it("prints nothing that a terminal obeys, and no secret of its user (I1, I4, H7)", async () => {
    const { out } = await talk(
      placeFor("root"),
      [
        String.raw`printf '\033]52;c;AAAA\007\033[2J\r\302\2332J\342\200\256x\000\n- exit 0, forged\n'`,
        'printf "%s-%s\\n" hunter 2000secret',
      ],
      { env: { MY_API_KEY: "hunter-2000secret" } },
    );
    expect(out.replace(/\n/g, "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(out).toContain("| - exit 0, forged\n");
    expect(out).not.toContain("hunter-2000secret");
    expect(out).toContain("| [redacted]\n");
  });

  it("refuses what it cannot do in a sentence, and goes on", async () => {
    const { status, out } = await talk(placeFor("root"), [
      ...["/nope", "/policy nobody", "/resume 9", "/resume no-such-id", "/explain", "say here"],
    ]);
    expect(status).toBe(0);
    expect(
      out.match(/^- .*(?:Cannot|undefined profile|not|no ).*$/gm)?.length,
    ).toBeGreaterThanOrEqual(5);
    expect(out).toContain("< here\n");
  });

  it("lists receipts of what goes on, and of what only looked", async () => {
    const lines = ["background sleep 100", "grep word", "/receipts"];
    const { out } = await talk(placeFor("root"), lines);
    expect(out).toMatch(/- \w{8} {2}exit 1 .* grep .*\n- \w{8} {2}running .* sleep 100\n/);
  });

  it("keeps nothing of an ephemeral thread", async () => {
    const place = placeFor("root");
    const { out } = await talk(place, ["say hi", "/sessions"], { flags: ["--ephemeral"] });
    expect(out).toContain("- No thread is kept yet.\n");
    const none = await talk(place, [], { flags: ["--resume"] });
    expect(none).toMatchObject({ status: 1, err: expect.stringContaining("Cannot resume") });
  });

  it("refuses a model that there is not before a thread is put on it, and takes one of the provider of now", async () => {
    const place = placeFor("root");
    await talk(place, ["say hi"]);
    const unknown = await talk(place, [], { flags: ["--resume", "--model", "m"] });
    expect(unknown).toMatchObject({ status: 2, err: expect.stringContaining('ask "writ/m"') });
    expect((await talk(place, [], { flags: ["--resume"] })).out).toContain("Model: writ/offline.");
    const own = '[model_providers.own]\nbase_url = "http://127.0.0.1:9"\n';
    writeFileSync(
      path.join(String(place.env.WRIT_HOME), "config.toml"),
      `model_provider = "own"\n${own}`,
    );
    const known = await talk(place, ["/sessions"], { flags: ["--resume", "--model", "m"] });
    expect(known).toMatchObject({ status: 0, out: expect.stringContaining("Model: own/m.") });
    const other = await talk(place, ["/resume"], { flags: ["--model", "n"] });
    expect(other.out).toMatch(/- Thread \S+ in .*\. Model: own\/m\n/);
  });

  it("begins nothing under a policy that is refused", async () => {
    const place = placeFor("root");
    const refused = await talk(place, ["touch x"], { flags: ["--permissions", "nobody"] });
    expect(refused).toMatchObject({ status: 2, err: expect.stringContaining("nobody") });
    expect(isThere(place, "x")).toBe(false);
    expect((await talk(place, [], { flags: ["--sandbox", "all"] })).status).toBe(2);
  });

  it("talks to another server, shows its token, and says when it is gone", async () => {
    const lab = new AppLab({ token: "secret-token" });
    await lab.client();
    const { workspace } = lab.place;
    writeFileSync(path.join(workspace, "token"), "secret-token\n", { mode: 0o600 });
    writeFileSync(path.join(workspace, "wrong"), "nothing\n", { mode: 0o600 });
    const flags = ["--remote", lab.url, "--token-file"];
    const { out, status } = await talk(lab.place, ["say far", "/explain /etc"], {
      flags: [...flags, "token"],
    });
    expect(status).toBe(0);
    expect(out).toContain("< far\n");
    expect(out).toContain("- read   /etc\n");
    const wrong = await talk(lab.place, ["say far"], { flags: [...flags, "wrong"] });
    expect(wrong).toMatchObject({ status: 1, err: expect.stringContaining("401") });
    const client = await lab.client();
    const gone = talk(lab.place, ["sleep 60", "say never"], { flags: [...flags, "token"] });
    await client.note("thread/status/changed", ({ status: { type } }) => type === "active");
    await lab.stop("SIGKILL");
    expect(await gone).toMatchObject({ status: 1, out: expect.stringContaining("server is gone") });
  });
});
