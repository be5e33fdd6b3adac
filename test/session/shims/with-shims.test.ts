/** Shims on a provider that does what a test says. */
import { describe, expect, it } from "vitest";
import type { CommandRequest } from "../../../src/session/provider/provided-command.ts";
import { SessionError } from "../../../src/session/session-error.ts";
import { withShims } from "../../../src/session/shims/with-shims.ts";
import { FakeProvider, type FakeSandbox } from "../support/fake-provider.ts";
import { sessionLab } from "../support/session-lab.ts";

const PLACE = "/tmp/shims";
const isOwn = ({ argv }: CommandRequest) => argv[0] === "/bin/sh";
const isCheck = (request: CommandRequest) => isOwn(request) && request.env.PATH !== undefined;

/** A session whose sandboxes answer the commands of shims as a shell would. */
function aLab(check: () => { exitCode?: number; stderr?: string } = () => ({})) {
  const provider = new FakeProvider();
  provider.onCreate = (sandbox) => {
    sandbox.script = (request) => {
      if (isCheck(request)) return check();
      return isOwn(request) ? { stdout: `${PLACE}\n/usr/bin:/bin` } : {};
    };
  };
  const { bash, session } = sessionLab({ provider: withShims(provider, ["gh"]) });
  const commandsOf = (sandbox: FakeSandbox) => sandbox.commands.filter((one) => !isOwn(one));
  return { provider, bash, session, commandsOf };
}

describe("withShims", () => {
  it("case 54: writes the shim into the folder for programs, with the mode of one", async () => {
    const { provider, bash } = aLab();
    await bash("true");
    const script = String(provider.at(1).files.get(`${PLACE}/bin/gh`));
    expect(script).toMatch(/^#!\/bin\/sh\n/);
    expect(provider.at(1).modes.get(`${PLACE}/bin/gh`)).toBe(0o755);
  });

  it("lets every command look among the shims first, also one with a path of its own", async () => {
    const { provider, bash, session, commandsOf } = aLab();
    await bash("true");
    const signal = new AbortController().signal;
    await session.run({ by: "test", argv: ["true"], env: { PATH: "/own" }, signal });
    expect(commandsOf(provider.at(1)).map(({ env }) => env.PATH)).toEqual([
      `${PLACE}/bin:/usr/bin:/bin`,
      `${PLACE}/bin:/own`,
    ]);
  });

  it("gives a process without a path the one of the shims", async () => {
    const { provider, session } = aLab();
    const more = { argv: ["sh"] as const, cwd: ".", env: {}, ids: {}, envPolicy: null };
    const signal = new AbortController().signal;
    await session.start({ ...more, by: "test", terminal: null, signal });
    expect(provider.at(1).processes[0]?.request.env.PATH).toBe(`${PLACE}/bin:/usr/bin:/bin`);
  });

  it("puts them into each sandbox once, whoever asks at once", async () => {
    const { provider, bash } = aLab();
    await Promise.all([bash("true"), bash("true"), bash("true")]);
    expect(provider.at(1).commands.filter(isOwn)).toHaveLength(2);
  });

  it("case 55: runs nothing where a shim cannot be run, and names its path and what was said", async () => {
    const { provider, bash, commandsOf } = aLab(() => ({
      exitCode: 1,
      stderr: "it does not run\n",
    }));
    await expect(bash("true")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/"\/tmp\/shims\/bin\/gh".*it does not run/),
    });
    expect(commandsOf(provider.at(1))).toEqual([]);
  });

  it("runs nothing where a shim cannot be written, and tries again when it is asked again", async () => {
    const { provider, bash, commandsOf, session } = aLab();
    await session.acquire({ by: "test", signal: new AbortController().signal });
    provider.at(1).faults.file.push(new SessionError("forbidden", "HTTP https://provider.test"));
    await expect(bash("true")).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/^Cannot put the shim "\/tmp\/shims\/bin\/gh"(?!.*http)/),
    });
    expect(commandsOf(provider.at(1))).toEqual([]);
    await bash("true");
    expect(commandsOf(provider.at(1))).toHaveLength(1);
  });

  it.each([[[]], [["gh", "gh"]], [["../gh"]]])("refuses to stand for %j", (names) => {
    const make = () => withShims(new FakeProvider(), names);
    expect(make).toThrow(expect.objectContaining({ code: "invalidInput" }));
  });

  it("leaves a provider that nobody wrapped without any", async () => {
    const { bash, provider } = sessionLab();
    await bash("true");
    expect(provider.at(1).files.size).toBe(0);
    expect(provider.at(1).commands.map(({ env }) => env.PATH)).toEqual([undefined]);
  });
});
