import { describe, expect, it } from "vitest";
import {
  approvalRules,
  sandboxName,
  subjectOf,
} from "../../../src/agent/approvals/approval-rules.ts";
import { isKnownReader } from "../../../src/agent/approvals/is-known-reader.ts";
import type { ApprovalPolicy, TurnFrame } from "../../../src/agent/index.ts";
import { type PermissionProfile, uriOfNative } from "../../../src/policy/index.ts";
import { FRAME, profileIn } from "../support/turn-lab.ts";

const { judgeCommand, judgeWrite } = approvalRules;

const granular = (sandbox_approval: boolean): ApprovalPolicy => ({
  granular: {
    ...{ sandbox_approval, rules: false, mcp_elicitations: false },
    ...{ skill_approval: false, request_permissions: false },
  },
});

const POLICIES: Readonly<Record<string, ApprovalPolicy>> = {
  untrusted: "untrusted",
  "on-request": "on-request",
  never: "never",
  "granular on": granular(true),
  "granular off": granular(false),
};

const frameOf = (approval: string, more: Partial<TurnFrame> = {}): TurnFrame => ({
  ...FRAME,
  approval: POLICIES[approval] ?? "never",
  ...more,
});

const HERE = { isElsewhere: false };

describe("a command", () => {
  it.each([
    ["untrusted", "make", "ask", "ask"],
    ["untrusted", "ls -la", "run", "ask"],
    ["on-request", "make", "run", "ask"],
    ["never", "make", "run", "refuse"],
    ["granular on", "make", "run", "ask"],
    ["granular off", "make", "run", "refuse"],
  ])("under %s: %s is to %s, outside the sandbox to %s", (approval, line, plain, escalated) => {
    const frame = frameOf(approval);
    expect(judgeCommand({ line, escalates: false }, frame).kind).toBe(plain);
    expect(judgeCommand({ line, escalates: true }, frame).kind).toBe(escalated);
  });

  it.each(Object.keys(POLICIES))("that nothing confines is never asked about: %s", (approval) => {
    const frame = frameOf(approval, { profile: { type: "disabled" } });
    expect(judgeCommand({ line: "make", escalates: true }, frame).kind).toBe("run");
    expect(judgeCommand({ line: "make", escalates: false }, frame).kind).toBe("run");
    expect(judgeWrite({ ...HERE, launchedUnder: "another", isTyped: true }, frame).kind).toBe(
      "run",
    );
  });

  it.each([true, false])(
    "that has nowhere to run is not asked about (escalates: %s)",
    (escalates) => {
      const frame = frameOf("untrusted", { environment: null });
      expect(judgeCommand({ line: "make", escalates }, frame)).toEqual({
        kind: "refuse",
        message: "Cannot run a command: the thread has no environment, expected one",
      });
    },
  );

  it("confined by somebody else is asked about like any other", () => {
    const profile: PermissionProfile = {
      type: "external",
      network: { kind: "restricted" },
      unixSockets: "none",
    };
    const frame = frameOf("untrusted", { profile });
    expect(judgeCommand({ line: "make", escalates: false }, frame).kind).toBe("ask");
  });
});

describe("a write", () => {
  it.each(Object.keys(POLICIES))(
    "to a process of the same sandbox just happens, unless every command is asked about: %s",
    (approval) => {
      const frame = frameOf(approval);
      const judged = (isTyped: boolean) =>
        judgeWrite({ ...HERE, launchedUnder: sandboxName(frame), isTyped }, frame).kind;
      expect(judged(true)).toBe(approval === "untrusted" ? "ask" : "run");
      expect(judged(false)).toBe("run");
    },
  );

  it.each([
    ["untrusted", "ask"],
    ["on-request", "ask"],
    ["never", "refuse"],
    ["granular on", "ask"],
    ["granular off", "refuse"],
  ])("to one of another sandbox or another machine, under %s, is to %s", (approval, kind) => {
    const frame = frameOf(approval);
    for (const isTyped of [true, false]) {
      const same = { launchedUnder: sandboxName(frame), isElsewhere: true, isTyped };
      expect(judgeWrite(same, frame).kind).toBe(kind);
      const write = { ...HERE, launchedUnder: "another", isTyped };
      expect(judgeWrite(write, frameOf(approval)).kind).toBe(kind);
    }
  });
});

describe("a command known to only read", () => {
  it.each(["ls", "ls -la src/a.ts", "cat a b", "grep -rn word .", "pwd", "echo hello", "wc -l x"])(
    "%s",
    (line) => {
      expect(isKnownReader(line)).toBe(true);
    },
  );

  it.each([
    ...["", " ls", "rm x", "./ls", "/bin/ls", "lsx", "find . -delete", "sort -o x y", "date -s 1"],
    ...["ls; rm x", "ls && rm x", "ls | sh", "cat < x", "cat > x", "echo `id`", "echo $(id)"],
    ...["echo $HOME", "ls\nrm x", "ls *", "cat ~/x", "ls {a,b}", "X=1 ls", "ls\trm", 'cat "a"'],
    ...["ls # x", "ls !x", "ls\\", "ls ''", "env ls", "ls ?", "ls [a]", "(ls)", "ls & rm x"],
  ])("is not %j", (line) => {
    expect(isKnownReader(line)).toBe(false);
  });
});

describe("a subject", () => {
  const asked = { kind: "command", argv: ["a", "b"], cwd: "/w", escalates: false } as const;
  const base = subjectOf(asked, FRAME);

  it("is the same for the same", () => {
    expect(subjectOf({ ...asked, argv: ["a", "b"] }, { ...FRAME })).toBe(base);
    expect(base).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, string]>([
    ["kind", subjectOf({ ...asked, kind: "writeStdin" }, FRAME)],
    ["argv", subjectOf({ ...asked, argv: ["a b"] }, FRAME)],
    ["folder", subjectOf({ ...asked, cwd: "/v" }, FRAME)],
    ["sandbox left", subjectOf({ ...asked, escalates: true }, FRAME)],
    ["policy", subjectOf(asked, { ...FRAME, profile: profileIn("workspace-write") })],
    ["roots", subjectOf(asked, { ...FRAME, workspaceRoots: [] })],
    ["folder of the thread", subjectOf(asked, { ...FRAME, cwd: uriOfNative("/x") })],
    ["environment", subjectOf(asked, { ...FRAME, environment: "other" })],
    ["what the kind adds", subjectOf(asked, FRAME, ["x"])],
  ])("is another for another %s", (_, subject) => {
    expect(subject).not.toBe(base);
  });
});
