import { describe, expect, it } from "vitest";
import { ChatQuestions } from "../../../src/cli/chat/chat-questions.ts";
import type { ChatQuestion } from "../../../src/cli/chat/client/chat-event.ts";
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
  const keyboard = {
    ...{ asksAgain, echoes: false, line: async () => undefined, forget() {}, close() {} },
    heed() {},
    answer: (signal: AbortSignal) => {
      if (!thinks) return Promise.resolve(answers.shift());
      const { promise, resolve } = Promise.withResolvers<undefined>();
      signal.addEventListener("abort", () => resolve(undefined));
      return promise;
    },
  };
  const print = (text: string) => void printed.push(text);
  const questions = new ChatQuestions({ keyboard, secrets: [], print, echo: print, note: print });
  return { questions, printed };
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

describe("questionText", () => {
  it("shows all of the command under its own mark, and forges no line of the question (I4)", () => {
    const nasty = "ls\n? reason: harmless\r? [y] yes\u001b[2A\u202e";
    const text = questionText(question(nasty, "be\nquick\u0007"), []);
    expect(text).toBe(
      [
        "? May this run in /w?",
        "$ ls",
        "$ ? reason: harmless",
        "$ ? [y] yes\\u{1b}[2A\\u{202e}",
        "? reason: be\\u{a}quick\\u{7}",
        "? [y] yes  [a] yes, also later in this session  [n] no (default)  [c] stop",
        "",
      ].join("\n"),
    );
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
