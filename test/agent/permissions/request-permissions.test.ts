/** Asking for more than the policy allows, through a whole turn. */
import { describe, expect, it } from "vitest";
import type {
  ApprovalPolicy,
  PermissionAnswer,
  ToolUse,
  TurnFrame,
} from "../../../src/agent/index.ts";
import { type Grant, profileDigest, uriOfNative } from "../../../src/policy/index.ts";
import { fakeExecutor } from "../support/fake-executor.ts";
import {
  call,
  exec,
  FRAME,
  type LabOptions,
  profileIn,
  said,
  turnLab,
} from "../support/turn-lab.ts";

const writing = (...paths: readonly string[]): Grant => ({
  network: false,
  files: paths.map((path) => ({ path: uriOfNative(path), access: "write" })),
});
const answer = (given: Grant, scope: PermissionAnswer["scope"] = "turn") => ({ given, scope });

const wish = (permissions: unknown, more: object = {}) =>
  call("request_permissions", { permissions, reason: "To build.", ...more });
const write = (...paths: readonly string[]) => wish({ file_system: { write: paths } });

function lab(
  permissions: readonly (PermissionAnswer | Error)[],
  { steps = [[write("/data"), exec("x")]], ...more }: LabOptions = {},
) {
  const executor = fakeExecutor((process) => void process.exit(0));
  const made = turnLab({ executor, permissions, steps, ...more });
  const uses = () =>
    made.completed().flatMap((item): ToolUse[] => (item.type === "toolCall" ? [item] : []));
  /** What each command was held to. */
  const profiles = () =>
    executor.requests.map(({ sandbox }) => {
      if (sandbox.kind !== "enforce") throw new Error("it was waived");
      return sandbox.context.profile;
    });
  const entries = () =>
    profiles().map((profile) =>
      profile.type === "managed" && profile.fileSystem.type === "restricted"
        ? profile.fileSystem.entries.filter(({ target }) => target.type === "path")
        : [],
    );
  return { ...made, executor, uses, profiles, entries };
}

const DATA = { target: { type: "path", path: uriOfNative("/data") }, access: "write" };

describe("a request for more", () => {
  it("is asked about after its item was started, in places of the machine, with its reason", async () => {
    const wanted = wish(
      { network: { enabled: true }, file_system: { read: ["/etc", "sub/../x"], write: ["/data"] } },
      { reason: "To \u202ebuild" },
    );
    const one = lab([answer(writing())], { steps: [[wanted]] });
    await one.run("go");
    expect(one.wanted).toEqual([
      {
        itemId: one.uses()[0]?.id,
        cwd: "/srv/space",
        reason: "To \\u{202e}build",
        asked: { network: true, files: [{ path: uriOfNative("/data"), access: "write" }] },
      },
    ]);
    expect(one.events.map(({ kind }) => kind).slice(2, 4)).toEqual([
      "itemStarted",
      "itemCompleted",
    ]);
  });

  it("N08 gets what was asked for and given, and every later call of the turn has it", async () => {
    const one = lab([answer(writing("/data", "/etc"))]);
    await one.run("go");
    expect(one.entries()).toEqual([[DATA]]);
    const [profile] = one.profiles();
    expect(one.uses()).toMatchObject([{ status: "completed", denial: null }]);
    expect(one.uses()[0]?.call.output).toBe(
      `Granted for this turn: write "/data". The policy of the turn is ${profileDigest(profile ?? { type: "disabled" }).slice(0, 16)} now.`,
    );
  });

  it("says what was not granted as it was asked for", async () => {
    const steps = [[write("/data", "/other"), exec("x")]];
    const one = lab([answer(writing("/data/in", "/other"), "session")], { steps });
    await one.run("go");
    expect(one.uses()[0]?.call.output).toContain(
      'Granted for as long as the thread is open: write "/other", write "/data/in". Not granted as asked for: write "/data".',
    );
  });

  it("N09 is over with its turn, and N10 is not where it was given for the session", async () => {
    const steps = [[write("/data"), exec("x")], [], [exec("y")], []];
    const turn = lab([answer(writing("/data"))], { steps });
    await turn.run("go");
    await turn.run("again");
    expect(turn.entries()).toEqual([[DATA], []]);
    const session = lab([answer(writing("/data"), "session")], { steps });
    await session.run("go");
    await session.run("again");
    expect(session.entries()).toEqual([[DATA], [DATA]]);
    expect(session.profiles()).toMatchObject(Array(2).fill({ network: { kind: "restricted" } }));
  });

  it("goes on in the same turn when something was said late", async () => {
    const steps = [[write("/data")], [], [exec("x")], []];
    const one = lab([answer(writing("/data"))], { steps });
    for (const text of ["a", "b"]) {
      const request = { turn: "t", history: [], input: said(text, text), frame: FRAME };
      await one.thread.runTurn(request, one.port);
    }
    expect(one.entries()).toEqual([[DATA]]);
  });

  it("ends for good with the policy that it was given to", async () => {
    const steps = [[write("/data")], [], [exec("x")], [], [exec("y")], []];
    const one = lab([answer(writing("/data"), "session")], { steps });
    await one.run("go");
    await one.run("other", { profile: profileIn("workspace-write") });
    await one.run("as before");
    expect(one.entries()).toEqual([[], []]);
  });

  it("ends with the policy that it was given to, also where that is the next one again", async () => {
    const steps = [[write("/data")], [], [exec("x")], []];
    const one = lab([answer(writing("/data"), "session")], { steps });
    await one.run("go");
    await one.run("as before", { era: 2 });
    expect(one.entries()).toEqual([[]]);
  });

  it("for the session outlives a turn that was stopped before it looked at it", async () => {
    const steps = [[write("/data")], [], [exec("x")], []];
    const one = lab([answer(writing("/data"), "session")], { steps });
    await one.run("go");
    const stopped = { ...one.port, signal: AbortSignal.abort() };
    const request = { turn: "stopped", history: [], input: said("no", "no"), frame: FRAME };
    expect((await one.thread.runTurn(request, stopped)).status).toBe("interrupted");
    await one.run("again");
    expect(one.entries()).toEqual([[DATA]]);
  });

  it.each([
    ["turn", true],
    ["session", false],
  ] as const)("for the %s: what goes on with it ends no later", async (scope, ends) => {
    const executor = fakeExecutor(() => {});
    const background = exec("server", { yield_time_ms: 250 });
    const steps = [[exec("before", { yield_time_ms: 250 }), write("/data"), background]];
    const one = turnLab({
      ...{ executor, steps, fires: [250] },
      permissions: [answer(writing("/data"), scope)],
    });
    await one.run("go");
    const [before, during] = executor.processes;
    expect([before?.isTerminated, during?.isTerminated]).toEqual([false, ends]);
  });

  it.each([
    ["in its turn", 0],
    ["in the next turn", 1],
  ])("ends where another machine has taken the name of its own %s", async (_, turns) => {
    const [first, second] = [fakeExecutor(), fakeExecutor((process) => void process.exit(0))];
    let now = first;
    const steps = [[write("/data")], ...Array(turns).fill([]), [exec("x")]];
    const one = lab([answer(writing("/data"), "session")], {
      ...{ steps, executors: async () => now, frame: { environment: "far" } },
      onEvent: (event) => {
        if (event.kind === "itemCompleted" && event.item.type === "toolCall") now = second;
      },
    });
    for (let turn = 0; turn <= turns; turn += 1) await one.run("go");
    expect(one.uses()).toMatchObject([{ status: "completed" }]);
    expect(second.requests).toHaveLength(1);
    expect(JSON.stringify(second.requests)).not.toContain("/data");
  });

  it("is not for what the user types", async () => {
    const one = lab([answer(writing("/data"), "session")]);
    await one.run("go");
    await one.shell("ls");
    expect(one.entries()).toEqual([[DATA], []]);
  });

  it.each([
    ["in its turn", 0],
    ["in the next turn", 1],
  ])("ends under a ceiling that was lowered since: %s", async (_, turns) => {
    let isLow = false;
    const low = { source: "/etc/top", denies: [], allowedModes: ["read-only"] } as const;
    const steps = [[write("/data")], ...Array(turns).fill([]), [exec("x")], []];
    const one = lab([answer(writing("/data"), "session")], {
      ...{ steps, ceilings: () => (isLow ? [low] : []) },
      onEvent: ({ kind }) => {
        isLow ||= kind === "itemCompleted" && one.wanted.length > 0;
      },
    });
    for (let turn = 0; turn <= turns; turn += 1) await one.run("go");
    expect(one.uses()).toMatchObject([{ status: "completed" }]);
    expect(one.entries()).toEqual([[]]);
  });
});

describe("a request that nobody is asked about", () => {
  const granular = (request_permissions: boolean): ApprovalPolicy => ({
    granular: {
      ...{ sandbox_approval: true, rules: true, mcp_elicitations: true, skill_approval: true },
      request_permissions,
    },
  });

  it.each<[string, Partial<TurnFrame>, string]>([
    ["never", { approval: "never" }, 'is "never"'],
    ["granular", { approval: granular(false) }, '"request_permissions" off'],
    ["no environment", { environment: null }, "no environment"],
    ["no sandbox", { profile: profileIn("danger-full-access") }, "does not enforce"],
  ])("is refused: %s", async (_, frame, sentence) => {
    const one = lab([answer(writing("/data"))], { frame, steps: [[write("/data")]] });
    await one.run("go");
    expect(one.wanted).toEqual([]);
    expect(one.uses()).toMatchObject([
      { status: "failed", denial: expect.stringContaining(sentence) },
    ]);
  });

  it.each<ApprovalPolicy>(["untrusted", "on-request", granular(true)])(
    "is one under no other approval policy: %j",
    async (approval) => {
      const one = lab([answer(writing("/data"))], {
        frame: { approval },
        steps: [[write("/data")]],
      });
      await one.run("go");
      expect(one.wanted).toHaveLength(1);
      expect(one.uses()).toMatchObject([{ status: "completed" }]);
    },
  );

  it("is refused where the policy denies a part of it, by name", async () => {
    const profile = profileIn("read-only");
    if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") throw new Error();
    const deny = { ...DATA, access: "deny" } as never;
    const entries = [...profile.fileSystem.entries, deny];
    const frame = { profile: { ...profile, fileSystem: { ...profile.fileSystem, entries } } };
    const one = lab([answer(writing("/data/in"))], { frame, steps: [[write("/x", "/data/in")]] });
    await one.run("go");
    expect(one.wanted).toEqual([]);
    expect(one.uses()[0]?.denial).toBe(
      'Cannot ask for "/data/in": the policy denies it (rule: "/data" = "deny"), and a grant does not lift that, expected something that it does not deny',
    );
  });

  it("is refused where it is over a ceiling", async () => {
    const low = { source: "/etc/top", denies: [], allowedModes: ["read-only"] } as const;
    const one = lab([answer(writing("/data"))], { ceilings: () => [low] });
    await one.run("go");
    expect(one.wanted).toEqual([]);
    expect(one.uses()[0]?.denial).toContain("set by /etc/top");
    expect(one.entries()).toEqual([[]]);
  });

  it("is over at once where the policy allows it already", async () => {
    const steps = [[wish({ file_system: { read: ["/etc"] } })]];
    const one = lab([], { steps });
    await one.run("go");
    expect(one.wanted).toEqual([]);
    expect(one.uses()).toMatchObject([{ status: "completed", denial: null }]);
  });

  it.each<[string, unknown]>([
    ["no object", "[]"],
    ["no JSON", "{"],
    ["no permissions", { reason: "x" }],
    ["an unknown member", { permissions: {}, scope: "session" }],
    ["an unknown permission", { permissions: { unix_sockets: true } }],
    ["a deny", { permissions: { file_system: { deny: ["/x"] } } }],
    ["a path that is no text", { permissions: { file_system: { write: [1] } } }],
    ["a path that is not there", { permissions: { file_system: { write: [" "] } } }],
    ["a path that hides something", { permissions: { file_system: { write: ["/x\u202e"] } } }],
    [
      "a path with a letter that is blank",
      { permissions: { file_system: { write: ["/x\u3164"] } } },
    ],
    ["a path with a mark that is blank", { permissions: { file_system: { write: ["/x\ufe0f"] } } }],
    ["a path with another space", { permissions: { file_system: { write: ["/x\u00a0y"] } } }],
    ["a path with a blank pattern", { permissions: { file_system: { write: ["/x\u2800"] } } }],
    ["a path of two lines", { permissions: { file_system: { write: ["/x\n/y"] } } }],
    ["too many paths", { permissions: { file_system: { write: Array(33).fill("/x") } } }],
  ])("is refused as a call that cannot be made: %s", async (_, input) => {
    const one = lab([], { steps: [[call("request_permissions", input)]] });
    await one.run("go");
    expect(one.completed()).toContainEqual(expect.objectContaining({ type: "refusedCall" }));
    expect(one.wanted).toEqual([]);
  });

  it.each([{}, { network: null }, { network: { enabled: false } }, { file_system: { read: [] } }])(
    "is refused where it asks for nothing: %j",
    async (permissions) => {
      const one = lab([], { steps: [[wish(permissions)]] });
      await one.run("go");
      expect(one.uses()[0]?.denial).toContain("there are none in the call");
    },
  );
});

describe("an answer that gives nothing", () => {
  it.each<[string, PermissionAnswer | Error, string]>([
    ["nothing", answer(writing()), "the user did not allow it"],
    ["N08 something else", answer(writing("/etc"), "session"), "the user did not allow it"],
    ["no answer", new Error("accept"), "nobody gave an answer"],
  ])("leaves the policy as it is: %s", async (_, given, sentence) => {
    const one = lab([given]);
    expect(await one.run("go")).toEqual({ status: "completed" });
    expect(one.uses()[0]).toMatchObject({
      status: "failed",
      denial: expect.stringContaining(sentence),
    });
    expect(one.entries()).toEqual([[]]);
  });

  const STOPPED = [{ status: "failed", denial: "The turn was stopped" }];

  it("comes when the turn is stopped while somebody is asked", async () => {
    const one = lab([]);
    const running = one.run("go");
    await expect.poll(() => one.wanted).toHaveLength(1);
    one.stop.abort();
    expect(await running).toEqual({ status: "interrupted" });
    expect(one.uses()).toMatchObject(STOPPED);
    expect(one.executor.requests).toEqual([]);
  });

  it.each([1, 2])(
    "comes when the turn is stopped before or after that: at look %d",
    async (look) => {
      let looks = 0;
      const ceilings = () => {
        looks += 1;
        if (looks === look) one.stop.abort();
        return [];
      };
      const one = lab([answer(writing("/data"), "session")], { ceilings });
      expect(await one.run("go")).toEqual({ status: "interrupted" });
      expect(one.uses()).toMatchObject(STOPPED);
      expect(one.wanted).toHaveLength(look - 1);
    },
  );
});

describe("the tool", () => {
  it.each<[string, Partial<TurnFrame>, boolean]>([
    ["a thread that is confined", {}, true],
    ["one that never asks, which is told so", { approval: "never" }, true],
    ["one without a sandbox", { profile: profileIn("danger-full-access") }, false],
    ["one without an environment", { environment: null }, false],
  ])("is declared to %s", async (_, frame, isThere) => {
    const one = lab([], { frame, steps: [] });
    await one.run("go");
    const names = one.requests[0]?.tools.map(({ name }) => name);
    expect(names?.includes("request_permissions")).toBe(isThere);
  });
});
