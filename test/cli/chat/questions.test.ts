import { describe, expect, it } from "vitest";
import { ChatQuestions } from "../../../src/cli/chat/chat-questions.ts";
import type { ChatEvent, ChatQuestion } from "../../../src/cli/chat/client/chat-event.ts";
import { OpenChanges } from "../../../src/cli/chat/open-changes.ts";
import type { ThreadItem } from "../../../src/cli/chat/view/item-text.ts";
import { questionText, readAnswer } from "../../../src/cli/chat/view/question-text.ts";

const asked = { threadId: "t", turnId: "u", itemId: "i", startedAtMs: 1 };

function question(command: string, reason: string | null = null): ChatQuestion {
  const none = {
    ...{ approvalId: null, environmentId: null, commandActions: null, additionalPermissions: null },
    ...{ proposedExecpolicyAmendment: null, networkApprovalContext: null },
    ...{ proposedNetworkPolicyAmendments: null, availableDecisions: null },
  };
  const params = { kind: "command" as const, ...asked, reason, command, cwd: "/w", ...none };
  return { kind: "commandApproval", params };
}

/** Somebody who gives these answers, then is gone, unless they only think. */
function setUp({ answers = [] as string[], asksAgain = true, thinks = false } = {}) {
  const printed: string[] = [];
  /** How much was shown when what had been typed was let go of. */
  const unsaid: number[] = [];
  const keyboard = {
    ...{ asksAgain, echoes: false, line: async () => undefined, forget() {}, close() {} },
    unsay: async () => void unsaid.push(printed.length),
    heed() {},
    answer: (signal: AbortSignal) => {
      if (!thinks) return Promise.resolve(answers.shift());
      const { promise, resolve } = Promise.withResolvers<undefined>();
      signal.addEventListener("abort", () => resolve(undefined));
      return promise;
    },
  };
  const print = (text: string) => void printed.push(text);
  const changes = new OpenChanges();
  const settled = async () => {};
  const place = { keyboard, secrets: [], print, echo: print, note: print, changes, settled };
  return { questions: new ChatQuestions(place), printed, unsaid, changes };
}

describe("an answer", () => {
  it.each([
    ["y", "accept"],
    [" Y ", "accept"],
    ["a", "acceptForSession"],
    ["n", "decline"],
    ["", "decline"],
    ["c", "cancel"],
    ["yes please", undefined],
    ["ls", undefined],
    ["ya", undefined],
  ])("%j means %s", (text, decision) => expect(readAnswer(text)).toBe(decision));

  it("is asked for again where somebody was not understood", async () => {
    const { questions, printed } = setUp({ answers: ["what", "y"] });
    expect(await questions.ask(question("ls"), 1)).toBe("accept");
    expect(printed.filter((text) => text.includes("[y] yes"))).toHaveLength(2);
  });

  it("is none that was given before the question was shown", async () => {
    const { questions, unsaid } = setUp({ answers: ["what", "y"] });
    await questions.ask(question("ls"), 1);
    expect(unsaid).toEqual([0]);
  });

  it("is no in a pipe, whatever else the next line says", async () => {
    const { questions } = setUp({ answers: ["rm -rf x", "y"], asksAgain: false });
    expect(await questions.ask(question("ls"), 1)).toBe("decline");
  });

  it("is no where nobody is left to give one", async () => {
    expect(await setUp().questions.ask(question("ls"), 1)).toBe("decline");
  });

  it("is no to a question that was taken back, and to that one only", async () => {
    const { questions, printed } = setUp({ thinks: true });
    const first = questions.ask(question("one"), 7);
    const resolve = (requestId: number) =>
      questions.hear({ kind: "serverRequestResolved", params: { threadId: "t", requestId } });
    await new Promise((done) => setTimeout(done, 5));
    resolve(8);
    await new Promise((done) => setTimeout(done, 5));
    expect(printed.join("")).not.toContain("no longer asked");
    resolve(7);
    expect(await first).toBe("decline");
    expect(printed.join("")).toContain("no longer asked");
  });

  it("is asked for one question after the other", async () => {
    const thinking = setUp({ thinks: true });
    void thinking.questions.ask(question("one"), 1);
    void thinking.questions.ask(question("two"), 2);
    await new Promise((done) => setTimeout(done, 5));
    expect(thinking.printed.join("")).not.toContain("$ two");
    const { questions, printed } = setUp({ answers: ["y", "n"] });
    const both = [questions.ask(question("one"), 1), questions.ask(question("two"), 2)];
    expect(await Promise.all(both)).toEqual(["accept", "decline"]);
    expect(printed.join("").indexOf("$ one")).toBeLessThan(printed.join("").indexOf("$ two"));
  });
});

type FileItem = Extract<ThreadItem, { type: "fileChange" }>;

function changing(...changes: FileItem["changes"]): FileItem {
  const times = { startedAtMs: 1, completedAtMs: null };
  return { type: "fileChange", id: "i", ...times, changes, status: "inProgress", writ: null };
}
const changeAsked: ChatQuestion = {
  kind: "fileChangeApproval",
  params: { ...asked, reason: null, grantRoot: null },
};
const added = (diff: string) => ({ path: "/w/a", kind: { type: "add" as const }, diff });

describe("a question about files", () => {
  it("names each of them and shows what becomes of it, and nothing in it looks like a name", async () => {
    const { questions, changes, printed } = setUp({ answers: ["y"] });
    const moved = { type: "update" as const, move_path: "/w/c" };
    changes.see(
      changing(added('one\nadd "/etc/x"\rdelete "/w"\n'), {
        ...{ path: "/w/b\n$ x", kind: moved, diff: "@@ -1,1 +1,1 @@\n-old\n+new\n" },
      }),
    );
    expect(await questions.ask(changeAsked, 1)).toBe("accept");
    expect(printed.join("")).toBe(
      [
        "? May files be changed?",
        '$ add "/w/a"',
        '$ update "/w/b\\n$ x" -> "/w/c"',
        '$ add "/w/a"',
        "$ +one",
        '$ +add "/etc/x"\\u{d}delete "/w"',
        '$ update "/w/b\\n$ x" -> "/w/c"',
        "$ @@ -1,1 +1,1 @@",
        "$ -old",
        "$ +new",
        "? [y] yes  [a] yes, also later in this session  [n] no (default)  [c] stop",
        "y",
      ].join("\n"),
    );
  });

  it("says how much of a long text it does not show, and that it knows of nothing", () => {
    const text = questionText(changeAsked, [], [added("x".repeat(70_000))]);
    expect(text).toContain('$ add "/w/a"\n$ +xxx');
    expect(text).toContain(`x\n? ${70_001 - 65_536} more characters of it are not shown.\n`);
    expect(questionText(changeAsked, [])).toContain("$ (it is not said which)\n");
  });

  it("is about an item that is not over", () => {
    const changes = new OpenChanges();
    const item = changing(added("x\n"));
    const hear = (kind: "itemStarted" | "itemCompleted", one: FileItem) =>
      changes.hear({ kind, params: { item: one } } as unknown as ChatEvent);
    hear("itemStarted", item);
    expect(changes.of(changeAsked)).toBe(item.changes);
    expect(changes.of(question("ls"))).toBeUndefined();
    hear("itemCompleted", { ...item, status: "completed" });
    expect(changes.of(changeAsked)).toBeUndefined();
  });
});

describe("questionText", () => {
  it("shows all of the command under its own mark, and forges no line of the question (I4)", () => {
    const nasty = "ls\n? reason: harmless\r? [y] yes\u001b[2A\u202e";
    const text = questionText(question(nasty, "be\nquick\u0007"), []);
    expect(text).toBe(
      [
        "? May this run in /w?",
        "$ ls",
        "$ ? reason: harmless\\u{d}? [y] yes\\u{1b}[2A\\u{202e}",
        "? reason: be\\u{a}quick\\u{7}",
        "? [y] yes  [a] yes, also later in this session  [n] no (default)  [c] stop",
        "",
      ].join("\n"),
    );
  });

  it.each([
    "git fetch https://deploy:$(touch$" + "{IFS}PWNED;id>OUT;:)@example.com/repo.git",
    "curl https://me:pw@example.com",
    ": sk-aaaaaaaaaaaaaaaaaaaaaaaa-touch",
    ": \u001b[;K",
  ])("hides nothing of %j, whatever form of a secret is in it", (command) => {
    const shown = command.replace("\u001b", "\\u{1b}");
    expect(questionText(question(command), [])).toContain(`$ ${shown}\n`);
  });

  it("hides no command behind the beginning of a private key, and no line of a file", () => {
    const lines = [": -----BEGIN PRIVATE KEY-----", "touch PWNED", ": -----END PRIVATE KEY-----"];
    const text = questionText(question(lines.join("\n")), []);
    expect(text).toContain(lines.map((line) => `$ ${line}\n`).join(""));
    const changed = questionText(changeAsked, [], [added(lines.join("\n"))]);
    expect(changed).toContain(lines.map((line) => `$ +${line}\n`).join(""));
  });

  it("says so where the value of a secret is not shown", () => {
    const text = questionText(question("curl -H hunter2000 x; echo [redacted]"), ["hunter2000"]);
    expect(text).toContain(
      "$ curl -H [redacted] x; echo [redacted]\n? A secret of yours is in it,",
    );
    expect(questionText(question("echo [redacted]"), ["hunter2000"])).not.toContain("A secret");
  });

  it("lists what is asked for beyond the policy, each once", () => {
    const entry = (at: string) => ({
      path: { type: "path" as const, path: at },
      access: "write" as const,
    });
    const permissions = {
      network: { enabled: true },
      fileSystem: { read: ["/a"], write: ["/b\n"], entries: [entry("/b\n"), entry("/c")] },
    };
    const params = { ...asked, reason: null, environmentId: null, cwd: "/w", permissions };
    const text = questionText({ kind: "permissionsApproval", params }, []);
    expect(text).toContain('$ the network\n$ read "/a"\n$ write "/b\\n"\n$ write "/c"\n?');
  });
});
