/** Cases 65-69 and 84-86: the modes that clients send, bound to this host and enforced here. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedLab, uri } from "./support/exec-lab.ts";
import { entry, intent, layOut, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const OUTSIDE = "Read-only file system";

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  const ran = async (script: string, sandbox: unknown, more = {}) =>
    runUnder(await lab().client(), lab().place, { script, sandbox, ...more });

  it("65 workspace-write opens the workspace and /tmp, and neither what lies outside nor .git", async () => {
    const { workspace, outside } = lab().place;
    layOut(workspace, { ".git/config": "kept\n" });
    const inTmp = `/tmp/${path.basename(path.dirname(workspace))}`;
    const script = `touch made && touch ${inTmp} && rm ${inTmp} && echo wrote
      cat /etc/hostname >/dev/null && echo read
      touch ${outside}/made; touch .git/made; echo >> .git/config; mv .git .other; rm -rf .git`;
    const told = await ran(script, workspaceWrite([workspace]));
    expect(told).toMatchObject({ sandboxType: "linuxSeccomp", stdout: "wrote\nread\n" });
    expect(told).toHaveProperty("stderr", expect.stringContaining(`outside/made': ${OUTSIDE}`));
    expect(told).toHaveProperty("stderr", expect.stringContaining(`.git/made': ${OUTSIDE}`));
    expect(fs.readFileSync(path.join(workspace, ".git/config"), "utf8")).toBe("kept\n");
    expect(fs.readdirSync(outside)).not.toContain("made");
  });

  it("66 read-only denies every write, and a failed command says that it was denied", async () => {
    const { workspace } = lab().place;
    const script = "cat /etc/hostname >/dev/null && echo read; touch new; touch /tmp/writ-66";
    const told = await ran(script, intent([entry(":root", "read")]));
    expect(told).toMatchObject({ stdout: "read\n", exitCode: 1, sandboxDenied: true });
    expect(fs.existsSync(path.join(workspace, "new"))).toBe(false);
    expect(fs.existsSync("/tmp/writ-66")).toBe(false);
  });

  it.each([
    ["an empty list", []],
    ["no list", undefined],
  ])(
    "67 grants nothing to workspace roots by %s, and the cwd is no substitute",
    async (_, workspaceRoots) => {
      const { workspace } = lab().place;
      const sandbox = { ...workspaceWrite([]), workspaceRoots, cwd: uri(workspace) };
      const told = await ran("touch no-roots", sandbox);
      expect(told).toMatchObject({ exitCode: 1, sandboxDenied: true });
      expect(fs.existsSync(path.join(workspace, "no-roots"))).toBe(false);
    },
  );

  it("67 binds the symbol to the roots that were sent, and not to the cwd", async () => {
    const { workspace } = lab().place;
    layOut(workspace, { "project/": "" });
    const sandbox = { ...workspaceWrite([path.join(workspace, "project")]), cwd: uri(workspace) };
    const told = await ran("touch project/in && echo in; touch not-in", sandbox);
    expect(told).toMatchObject({ stdout: "in\n", exitCode: 1 });
    expect(fs.existsSync(path.join(workspace, "not-in"))).toBe(false);
  });

  it("68 policyContext stands in for cwd and roots, also for what it leaves out", async () => {
    const { workspace } = lab().place;
    layOut(workspace, { "first/": "", "second/": "" });
    const roots = [uri(path.join(workspace, "second"))];
    const sent = workspaceWrite([path.join(workspace, "first")]);
    const script =
      "touch first/f 2>/dev/null && echo first; touch second/s 2>/dev/null && echo second; :";
    const said = async (policyContext: unknown) => ran(script, { ...sent, policyContext });
    expect(await said({ workspaceRoots: roots })).toMatchObject({ stdout: "second\n" });
    expect(await said({ cwd: uri(workspace) })).toMatchObject({ stdout: "" });
    expect(await said({})).toMatchObject({ stdout: "" });
    expect(await said(null)).toMatchObject({ stdout: "first\n" });
  });

  it("69 opens every root, each with its protected names", async () => {
    const { workspace } = lab().place;
    layOut(workspace, { "a/.git/HEAD": "", "b/.codex/x": "" });
    const roots = ["a", "b"].map((name) => path.join(workspace, name));
    const script = `touch a/f b/f && echo both; touch a/.git/f; touch b/.codex/f; touch c`;
    const told = await ran(script, workspaceWrite(roots));
    expect(told).toMatchObject({ stdout: "both\n", exitCode: 1 });
    expect(fs.readdirSync(path.join(workspace, "a/.git"))).toEqual(["HEAD"]);
    expect(fs.readdirSync(path.join(workspace, "b/.codex"))).toEqual(["x"]);
  });

  it("84 a disabled profile uses files directly, and one for an external sandbox that nobody vouches for does not", async () => {
    const { workspace, outside } = lab().place;
    const client = await lab().client();
    const write = (name: string, permissions: object) =>
      client.tryCall("fs/writeFile", {
        path: uri(path.join(outside, name)),
        dataBase64: "eA==",
        sandbox: { ...intent(permissions as never), cwd: uri(workspace) },
      });
    expect(await write("direct", { type: "disabled" })).toMatchObject({ result: {} });
    expect(fs.readFileSync(path.join(outside, "direct"), "utf8")).toBe("x");
    const external = await write("external", { type: "external", network: "restricted" });
    expect(external.error?.code).toBe(-32603);
    expect(external.error?.message).toContain("Read-only file system (os error 30)");
    expect(fs.existsSync(path.join(outside, "external"))).toBe(false);
  });

  it("84 a disabled profile waives the sandbox, and an external one is enforced as read-only", async () => {
    const { outside } = lab().place;
    const script = `touch ${outside}/by-command && echo wrote`;
    const disabled = await ran(script, intent({ type: "disabled" }));
    expect(disabled).toMatchObject({ sandboxType: "none", stdout: "wrote\n" });
    const external = await ran(
      `touch here; ${script}`,
      intent({ type: "external", network: "restricted" }),
    );
    expect(external).toMatchObject({ sandboxType: "linuxSeccomp", stdout: "", exitCode: 1 });
  });

  it.each([
    ["null", null],
    ["left out", undefined],
  ])("85 runs natively where the sandbox is %s", async (_, sandbox) => {
    const { outside } = lab().place;
    const told = await ran(`touch ${outside}/native && echo wrote`, sandbox);
    expect(told).toMatchObject({ sandboxType: "none", stdout: "wrote\n", exitCode: 0 });
  });

  it("86 does not call a plain failure denied", async () => {
    const { workspace } = lab().place;
    const told = await ran("echo no such thing; exit 7", workspaceWrite([workspace]));
    expect(told).toMatchObject({ exitCode: 7, sandboxDenied: false });
  });
});

describe("with --external-sandbox", () => {
  const lab = sharedLab({ flags: ["--external-sandbox"] });

  it("84 an external profile is left to the sandbox that the operator vouches for", async () => {
    const { place } = lab();
    const sandbox = intent({ type: "external", network: "restricted" });
    const script = `touch ${place.outside}/vouched && echo wrote`;
    const told = await runUnder(await lab().client(), place, { script, sandbox });
    expect(told).toMatchObject({ stdout: "wrote\n" });
  });
});
