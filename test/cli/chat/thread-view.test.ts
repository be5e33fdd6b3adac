import { describe, expect, it } from "vitest";
import type { ChatEvent } from "../../../src/cli/chat/client/chat-event.ts";
import type { ThreadItem } from "../../../src/cli/chat/view/item-text.ts";
import { choosePaint, NO_PAINT } from "../../../src/cli/chat/view/paint.ts";
import { ThreadView } from "../../../src/cli/chat/view/thread-view.ts";

const at = { threadId: "t", turnId: "u" };
const times = { startedAtMs: 1, completedAtMs: null };
type CommandItem = Extract<ThreadItem, { type: "commandExecution" }>;

function command(id: string, members: Partial<CommandItem> = {}): CommandItem {
  return {
    ...{ type: "commandExecution", id, ...times, pluginId: null, scriptPath: null, cwd: "/w" },
    ...{ command: "/bin/bash -lc 'echo '\\''a'\\'''", processId: null, source: "agent" },
    ...{ status: "completed", commandActions: [], aggregatedOutput: null, exitCode: 0 },
    ...{ durationMs: 120, writ: { receiptId: "01ABCDEFGHJKMNPQ", denial: null } },
    ...members,
  } as CommandItem;
}

function message(id: string, text: string): ThreadItem {
  const none = { phase: null, memoryCitation: null, delivery: null, questions: null };
  return { type: "agentMessage", id, ...times, text, ...none };
}

const started = (item: ThreadItem): ChatEvent => ({
  kind: "itemStarted",
  params: { ...at, item, startedAtMs: 1 },
});
const completed = (item: ThreadItem): ChatEvent => ({
  kind: "itemCompleted",
  params: { ...at, item, completedAtMs: 1 },
});
const output = (itemId: string, delta: string): ChatEvent => ({
  kind: "itemCommandExecutionOutputDelta",
  params: { ...at, itemId, delta },
});
const said = (itemId: string, delta: string): ChatEvent => ({
  kind: "itemAgentMessageDelta",
  params: { ...at, itemId, delta },
});
const turnOver = (members: object): ChatEvent =>
  ({
    kind: "turnCompleted",
    params: { threadId: "t", turn: { error: null, ...members } },
  }) as ChatEvent;

function shown(events: readonly ChatEvent[], secrets: readonly string[] = []): string {
  const view = new ThreadView({ paint: NO_PAINT, secrets });
  return events.map((event) => view.tell(event)).join("");
}

describe("ThreadView", () => {
  it("shows a command, its output as it comes, and its end", () => {
    const view = new ThreadView({ paint: NO_PAINT, secrets: [] });
    expect(view.tell(started(command("c")))).toBe("$ echo 'a'\n");
    expect(view.tell(output("c", "one\ntw"))).toBe("| one\n");
    expect(view.tell(output("c", "o\n"))).toBe("| two\n");
    expect(view.tell(completed(command("c")))).toBe("- exit 0, 0.12 s, receipt GHJKMNPQ\n");
  });

  it("shows what was told at the end only, and no more than once", () => {
    const item = command("c", { aggregatedOutput: "late\n" });
    expect(shown([started(item), completed(item)])).toContain("| late\n- exit 0");
    expect(shown([output("c", "late\n"), completed(item)]).match(/late/g)).toHaveLength(1);
    expect(shown([completed(message("m", "hi"))])).toBe("< hi\n");
  });

  describe("what a model types into a process that goes on", () => {
    const write = (members: object, answer: string | null = null): ThreadItem =>
      ({
        ...{ type: "dynamicToolCall", id: "w", ...times, namespace: null, tool: "write_stdin" },
        ...{ arguments: JSON.stringify({ session_id: 4711, ...members }), durationMs: null },
        ...{ status: answer === null ? "inProgress" : "completed", success: answer && true },
        contentItems: answer === null ? null : [{ type: "inputText", text: answer }],
        writ: { receiptId: null, denial: null },
      }) as ThreadItem;
    const typed = (itemId: string, stdin: string): ChatEvent => ({
      kind: "itemCommandExecutionTerminalInteraction",
      params: { ...at, itemId, processId: "4711", stdin },
    });
    const chars = "touch x\n";

    it("is shown before it is typed, with what came of it", () => {
      const line = String.raw`$ into session 4711: "touch x\n"`;
      expect(shown([started(write({ chars }))])).toBe(`${line}\n`);
      const report =
        "Wall time: 1.000 seconds\nProcess running with session ID 4711\nOutput:\nmade";
      const ended = completed(write({ chars }, report));
      const all = `${line}\n| made\n- write_stdin: completed\n`;
      expect(shown([started(write({ chars })), typed("c", chars), ended])).toBe(all);
      const past = new ThreadView({ paint: NO_PAINT, secrets: [] });
      expect(past.past(write({ chars }, report))).toBe(all);
    });

    it("is shown with what is printed once, also where the command tells that itself", () => {
      const ended = completed(write({}, "Output:\nmade"));
      const events = [started(write({})), typed("c", ""), output("c", "made\n"), ended];
      expect(shown(events)).toBe("| made\n");
      const other = [started(write({})), typed("c", ""), output("d", "other\n"), ended];
      expect(shown(other)).toBe("| other\n| made\n");
    });

    it("is nothing where it only waited, and nothing came", () => {
      const report = "Wall time: 30.000 seconds\nProcess running with session ID 4711\nOutput:\n";
      expect(shown([started(write({})), typed("c", ""), completed(write({}, report))])).toBe("");
    });

    it.each(["{", '"text"', "null", "{}"])("is nothing where the input is %s", (text) => {
      expect(shown([started({ ...write({}), arguments: text } as ThreadItem)])).toBe("");
    });
  });

  it("says why something was denied, before how it ended", () => {
    const writ = { receiptId: null, denial: 'Probably denied: to write "/x\u202e"' };
    const item = command("c", { exitCode: 1, status: "failed", writ });
    expect(shown([completed(item)])).toBe(
      '- Probably denied: to write "/x\\u{202e}".\n- exit 1, 0.12 s\n',
    );
  });

  it("says that a command was not run where something was in the way before it began", () => {
    const none = { status: "failed", exitCode: null, durationMs: null } as const;
    const unrun = (receiptId: string | null, aggregatedOutput: string | null) => {
      const writ = { receiptId, denial: "Cannot run it: never" };
      return shown([completed(command("c", { ...none, writ, aggregatedOutput }))]);
    };
    expect(unrun(null, null)).toBe("- It was not run.\n- Cannot run it: never.\n");
    expect(unrun("01ABCDEFGHJKMNPQ", null)).toContain("- It was not run, receipt GHJKMNPQ\n");
    expect(unrun(null, "")).toContain("- It did not run to an end\n");
  });

  it("says that a declined command was not run", () => {
    const writ = { receiptId: null, denial: "Rejected by the user" };
    const item = command("c", { exitCode: null, status: "declined", durationMs: null, writ });
    expect(shown([completed(item)])).toBe("- It was not run.\n- Rejected by the user.\n");
  });

  it("ends a line before somebody else speaks", () => {
    const events = [
      output("c", "half "),
      said("m", "word "),
      output("c", "more "),
      completed(command("c")),
    ];
    expect(shown(events)).toBe("| half \n< word \n| more \n- exit 0, 0.12 s, receipt GHJKMNPQ\n");
  });

  it("shows a multi-line command under its mark in every line (I4)", () => {
    const item = command("c", { command: "/bin/bash -lc 'true\n- exit 0\r\u001b[2Kls'" });
    expect(shown([started(item)])).toBe("$ true\n$ - exit 0\n$ ls\n");
  });

  it("shows a command that is wrapped in no known way as it is", () => {
    const item = command("c", { command: "/bin/bash -lc 'a' 'b'" });
    expect(shown([started(item)])).toBe("$ /bin/bash -lc 'a' 'b'\n");
  });

  it("takes secrets out of commands, output, denials and errors (H7)", () => {
    const secret = "hunter2000";
    const item = command("c", {
      command: `/bin/bash -lc 'echo ${secret}'`,
      writ: { receiptId: null, denial: `denied ${secret}` },
    });
    const events = [started(item), output("c", `${secret}\n`), completed(item)];
    const text = shown(
      [...events, turnOver({ status: "failed", error: { message: secret } })],
      [secret],
    );
    expect(text).not.toContain(secret);
    expect(text.match(/\[redacted\]/g)).toHaveLength(4);
  });

  it("says that a turn was stopped, or why it failed", () => {
    expect(shown([turnOver({ status: "interrupted" })])).toBe("- The turn was stopped.\n");
    expect(shown([turnOver({ status: "failed", error: { message: "no\nkey" } })])).toBe(
      "- no\\u{a}key\n",
    );
    expect(shown([turnOver({ status: "completed" })])).toBe("");
  });

  it("shows only so much of one command", () => {
    const text = shown([output("c", "line\n".repeat(100_000)), output("c", "END\n")]);
    expect(text.length).toBeLessThan(600_000);
    expect(text.match(/^- There is more of it, which is not shown\.$/gm)).toHaveLength(1);
    expect(text).not.toContain("END");
  });

  it("shows what tools answer as output", () => {
    const item = {
      ...{ type: "mcpToolCall", id: "x", ...times, server: "s", tool: "t", status: "completed" },
      ...{ arguments: {}, error: null, durationMs: 1 },
      result: { content: [{ type: "text", text: "- exit 0\u0007" }], structuredContent: null },
    } as unknown as ThreadItem;
    expect(shown([completed(item)])).toBe("| - exit 0\\u{7}\n- s.t: completed\n");
  });

  it.each([
    ["inProgress", "- It is not over yet, "],
    ["failed", "- It did not run to an end, "],
  ] as const)("says of a command of before that is %s what it is", (status, end) => {
    const view = new ThreadView({ paint: NO_PAINT, secrets: [] });
    expect(view.past(command("c", { status, exitCode: null }))).toContain(end);
    const named = command("c", { status, exitCode: null, processId: "4711" });
    expect(view.past(named)).toContain(end);
  });

  it("says of a process that it goes on, and of one of before that it did when its turn ended", () => {
    const item = command("c", { exitCode: null, processId: "4711", durationMs: null });
    expect(shown([completed(item)])).toContain("- It goes on as session 4711, ");
    const view = new ThreadView({ paint: NO_PAINT, secrets: [] });
    expect(view.past(item)).toContain("- It went on as session 4711 when its turn ended, ");
  });
});

describe("choosePaint", () => {
  it.each([
    ["in a pipe", {}, false],
    ["with NO_COLOR", { NO_COLOR: "1" }, true],
    ["with NO_COLOR, whatever FORCE_COLOR says", { NO_COLOR: "1", FORCE_COLOR: "1" }, true],
    ["with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true],
    ["on a dumb terminal", { TERM: "dumb" }, true],
  ])("has no colour %s", (_, env, isTerminal) => {
    expect(choosePaint(env, isTerminal).bad("x")).toBe("x");
  });

  it("colours what a pipe takes where FORCE_COLOR says so", () => {
    expect(choosePaint({ FORCE_COLOR: "1" }, false).bad("x")).not.toBe("x");
  });

  it("colours each line by itself on a terminal", () => {
    expect(choosePaint({ NO_COLOR: "" }, true).bad("a\nb\n")).toBe(
      "\u001b[31ma\u001b[0m\n\u001b[31mb\u001b[0m\n",
    );
  });
});
