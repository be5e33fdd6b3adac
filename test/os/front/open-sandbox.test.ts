/** The front door on a real sandbox. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AskedPolicy, type CommandOptions, openSandbox } from "../../../src/front/index.ts";

const NEVER = new AbortController().signal;

/** A sandbox with a folder of its own, and one beside it. Not below /tmp, which policies open. */
async function aSandbox(policy: AskedPolicy) {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [workspace, outside, home] = ["ws", "outside", "home"].map((name) => path.join(base, name));
  if (!workspace || !outside || !home) throw new Error("Cannot lay out the test");
  for (const folder of [workspace, outside]) mkdirSync(folder);
  const sandbox = await openSandbox({ policy, workspace, home });
  onTestFinished(() => sandbox.close());
  const sh = (script: string) => sandbox.run(["sh", "-c", script]);
  return { sandbox, workspace, outside, home, sh };
}

type Attempt = (lab: Awaited<ReturnType<typeof aSandbox>>) => Promise<unknown>;

describe("openSandbox", () => {
  it("lets commands write to the workspace and nowhere else, and keeps a receipt", async () => {
    const { workspace, outside, sh } = await aSandbox("workspace-write");
    const ran = await sh(`echo in > in.txt; echo out > ${outside}/out.txt`);
    expect(ran).toMatchObject({ sandboxDenied: true, receiptId: expect.stringMatching(/./) });
    expect(ran.exitCode).not.toBe(0);
    expect(readFileSync(path.join(workspace, "in.txt"), "utf8")).toBe("in\n");
    expect(readdirSync(outside)).toEqual([]);
  });

  it("holds tools of a model to the same policy", async () => {
    const { sandbox, workspace } = await aSandbox("read-only");
    const write = { tool: "writeFile", input: { path: "a.txt", content: "a" }, signal: NEVER };
    await expect(sandbox.tools.execute(write)).rejects.toThrow(
      /the policy or the rights of the user do not allow it/,
    );
    expect(existsSync(path.join(workspace, "a.txt"))).toBe(false);
  });

  it("holds what comes next to another policy", async () => {
    const { sandbox, workspace, sh } = await aSandbox("workspace-write");
    expect((await sh("touch a")).exitCode).toBe(0);
    sandbox.usePolicy("read-only");
    expect((await sh("touch b")).exitCode).not.toBe(0);
    expect(() => sandbox.usePolicy("open" as AskedPolicy)).toThrow(/Cannot use policy/);
    expect((await sh("touch c")).exitCode).not.toBe(0);
    await sandbox.close();
    expect(readdirSync(workspace)).toEqual(["a"]);
  });

  it("holds a command to the policy it was asked under, whatever is set while it waits", async () => {
    const { sandbox, workspace, sh } = await aSandbox("read-only");
    const early = sh("touch early");
    sandbox.usePolicy("workspace-write");
    const late = sh("touch late");
    expect((await early).exitCode).not.toBe(0);
    expect((await late).exitCode).toBe(0);
    await sandbox.close();
    expect(readdirSync(workspace)).toEqual(["late"]);
  });

  it("keeps the home of commands through narrower policies, and begins anew under one that allows more", async () => {
    const { sandbox, outside, sh } = await aSandbox("workspace-write");
    await sh("echo kept > ~/note");
    sandbox.usePolicy("read-only");
    expect((await sh("cat ~/note")).stdout).toBe("kept\n");
    sandbox.usePolicy("workspace-write");
    expect((await sh("cat ~/note")).stdout).toBe("kept\n");
    sandbox.usePolicy({ type: "workspaceWrite", writableRoots: [outside] });
    expect((await sh("ls -A ~")).stdout).toBe("");
  });

  it("hides where writ keeps its own, and gives commands nothing of this process to know", async () => {
    const { home, sh } = await aSandbox("workspace-write");
    process.env.WRIT_FRONT_SECRET = "s3cret";
    onTestFinished(() => void delete process.env.WRIT_FRONT_SECRET);
    const { stdout } = await sh(`env; ls ${home} || echo hidden`);
    expect(stdout).not.toContain("s3cret");
    expect(readdirSync(home)).not.toEqual([]);
    expect(stdout).not.toContain(readdirSync(home)[0]);
  });

  it.each<[string, Attempt, RegExp]>([
    [
      "an argument that no program can get",
      ({ sandbox }) => sandbox.run(["echo", "a\0b"]),
      /^Cannot start "echo": an argument has a NUL character$/,
    ],
    [
      "a folder that is not there",
      ({ sandbox }) => sandbox.run(["pwd"], { cwd: "nope" }),
      /^Cannot run "pwd": ".*\/ws\/nope" is missing or is no folder, expected a folder to start in$/,
    ],
    [
      "a policy that opens what is writ's own",
      ({ sandbox, home }) => {
        sandbox.usePolicy({ type: "workspaceWrite", writableRoots: [home] });
        return sandbox.run(["true"]);
      },
      /^Cannot enforce ".*\/home" = "write": it opens a place in .*, expected a policy without it$/,
    ],
    [
      "a path that the policy does not open",
      ({ sandbox, outside }) => {
        const input = { path: `${outside}/a`, content: "a" };
        return sandbox.tools.execute({ tool: "writeFile", input, signal: NEVER });
      },
      /^Cannot write ".*\/outside\/a": the policy or the rights of the user do not allow it, expected a path that they open$/,
    ],
  ])("says of %s what is in the way, in the message itself", async (_, attempt, sentence) => {
    await expect(attempt(await aSandbox("workspace-write"))).rejects.toThrow(sentence);
  });

  it.each<[string, unknown, string]>([
    ["a time as text", { timeoutMs: "5" }, '"timeoutMs" is "5", expected a number of milliseconds'],
    ["a folder that is no text", { cwd: 5 }, '"cwd" is 5, expected the path of a folder'],
    [
      "a variable that is no text",
      { env: { PORT: 80 } },
      '"env" is an object, expected an object whose values are all text',
    ],
    ["no signal", { signal: null }, '"signal" is null, expected an AbortSignal'],
    [
      "an option that may be a restriction",
      { network: false },
      'there is no option "network", expected cwd, env, timeoutMs, signal',
    ],
  ])("runs nothing with %s, and says so", async (_, options, why) => {
    const { sandbox, workspace } = await aSandbox("workspace-write");
    await expect(sandbox.run(["touch", "a"], options as CommandOptions)).rejects.toThrow(
      new TypeError(`Cannot run a command: ${why}`),
    );
    expect(readdirSync(workspace)).toEqual([]);
  });

  it.each([
    ["a line", "npm test", '"npm test"'],
    ["nothing", [], "[]"],
    ["a word that is no text", ["sleep", 5], '["sleep",5]'],
    ["a list with a hole", Object.assign(new Array(2), { 0: "true" }), '["true",null]'],
  ])(
    "says of %s that it is no command, and that no sandbox is at fault",
    async (_, argv, found) => {
      const { sandbox } = await aSandbox("read-only");
      await expect(sandbox.run(argv as [string])).rejects.toThrow(
        new TypeError(`Cannot run ${found}: expected a list of a program and its arguments`),
      );
    },
  );
});
