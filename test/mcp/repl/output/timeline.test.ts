import { describe, expect, it } from "vitest";
import type { OutputEvent } from "../../../../src/mcp/repl/output/output-event.ts";
import type { OutputItem } from "../../../../src/mcp/repl/output/output-item.ts";
import { Timeline } from "../../../../src/mcp/repl/output/timeline.ts";
import { err, image, out } from "../support/printed.ts";

const RETENTION = { headChars: 10_000, tailChars: 10_000, imageBytes: 1000 };

function timelineOf(...events: OutputEvent[]): Timeline {
  const timeline = new Timeline({ retention: RETENTION });
  for (const event of events) timeline.add(event);
  return timeline;
}

/** What a take gives, with marks, one string an item. */
function taken(timeline: Timeline): string[] {
  return timeline.take().items.map((item) => {
    if (item.kind === "text") return item.mark + item.text;
    if (item.kind === "image") return `[${Buffer.from(item.data)}]`;
    return item.kind === "gap" ? `(${item.chars} chars, ${item.lines} lines)` : item.text;
  });
}

describe("text", () => {
  it("case 30: keeps the order of the streams and marks stderr", () => {
    const timeline = timelineOf(out("o1\n"), err("e\n"), out("o2\n"));
    expect(taken(timeline)).toEqual(["o1\n", "stderr: e\n", "o2\n"]);
  });

  it("case 31: begins a line for stderr and strips nothing that looks like a prompt", () => {
    const timeline = timelineOf(out("foo >>> "), err("ERR\n"), out("bar\n"));
    expect(taken(timeline).join("")).toBe("foo >>> \nstderr: ERR\nbar\n");
  });

  it("case 32: shows what a child printed before the prompt as it is", () => {
    const timeline = timelineOf(out("> ", "raw"), { kind: "prompt", text: "> " });
    expect(taken(timeline)).toEqual(["> > "]);
  });

  it("case 33: shows output that looks like the input once", () => {
    const timeline = timelineOf(
      out("> 1 + 1\n"),
      { kind: "echo", text: "> 1 + 1\n" },
      out("[1] 2\n"),
    );
    expect(taken(timeline)).toEqual(["> 1 + 1\n[1] 2\n"]);
  });

  it("case 35: shows a byte that is no character, and the notice after it", () => {
    const timeline = timelineOf(out(Uint8Array.of(0x61, 0xc3)));
    timeline.seal();
    timeline.add({ kind: "notice", text: "[repl] session ended" });
    expect(taken(timeline)).toEqual(["a\\xC3", "[repl] session ended"]);
  });

  it("has no half of a character where what was before it is not kept", () => {
    for (const before of ["", "x"]) {
      const text = before + "😀".repeat(20_000);
      const [, , tail = ""] = taken(timelineOf(out(text), out("\n")));
      expect(tail).toMatch(/^😀/u);
      expect(tail.isWellFormed()).toBe(true);
    }
  });

  it("case 36: keeps a character whose bytes have stderr between them", () => {
    const timeline = timelineOf(out(Uint8Array.of(0xc3)), err("x\n"), out(Uint8Array.of(0xa9)));
    expect(taken(timeline)).toEqual(["stderr: x\n", "é"]);
  });

  it("holds the beginning of a character from one take to the next", () => {
    const timeline = timelineOf(out(Uint8Array.of(0x61, 0xe2, 0x82)));
    expect(taken(timeline)).toEqual(["a"]);
    timeline.add(out(Uint8Array.of(0xac)));
    expect(taken(timeline)).toEqual(["€"]);
  });

  it("case 37: shows the bytes of half a surrogate pair", () => {
    const timeline = timelineOf(out(Uint8Array.of(0x61, 0xed, 0xa0, 0x80, 0x62)));
    expect(taken(timeline)).toEqual(["a\\xED\\xA0\\x80b"]);
  });

  it("case 38: takes colours out, also those that arrive in two pieces", () => {
    const timeline = timelineOf(err("\u001b[1;3"), err("1mTraceback\u001b[0m\n"));
    expect(taken(timeline)).toEqual(["stderr: Traceback\n"]);
  });

  it("shows the text of an escape that never ended", () => {
    const timeline = timelineOf(out("a\u001b]0;title"));
    timeline.seal();
    expect(taken(timeline)).toEqual(["a0;title"]);
  });

  it("marks a run of stderr once, however it was written", () => {
    expect(taken(timelineOf(err("a\n"), err("b"), err("c\n")))).toEqual(["stderr: a\nbc\n"]);
  });

  it("does not mark the rest of a line of stderr again in the next reply", () => {
    const timeline = timelineOf(err("half"));
    expect(taken(timeline)).toEqual(["stderr: half"]);
    timeline.add(err(" a line\n"));
    expect(taken(timeline)).toEqual([" a line\n"]);
    timeline.add(err("next\n"));
    expect(taken(timeline)).toEqual(["stderr: next\n"]);
  });

  it("marks stderr anew when a request begins", () => {
    const timeline = timelineOf(err("half"));
    timeline.take();
    timeline.begin();
    timeline.add(err("new\n"));
    expect(taken(timeline)).toEqual(["stderr: new\n"]);
  });

  it("cases 47 to 49: gives each item once, what came while idle first", () => {
    const timeline = timelineOf(out("one\n"));
    expect(taken(timeline)).toEqual(["one\n"]);
    expect(timeline.isEmpty).toBe(true);
    expect(taken(timeline)).toEqual([]);
    timeline.add(out("background\n"));
    timeline.begin();
    timeline.add(out("n\n"));
    expect(taken(timeline)).toEqual(["background\nn\n"]);
  });
});

describe("pictures", () => {
  it("case 97: says when one updates a picture of an earlier request", () => {
    const timeline = timelineOf(image("a", "1"));
    timeline.take();
    timeline.begin();
    timeline.add(image("b", "1", true));
    expect(taken(timeline)).toEqual([expect.stringContaining("image update"), "[b]"]);
  });

  it("counts states of one source as one picture, within a request", () => {
    const plots = (items: readonly OutputItem[]) =>
      items.flatMap((item) => (item.kind === "image" ? [item.plot] : []));
    const timeline = timelineOf(image("a", "1"), image("b", "2"), image("c", "1", true));
    expect(plots(timeline.take().items)).toEqual([1, 2, 1]);
    timeline.add(image("d", "1"));
    timeline.begin();
    timeline.add(image("e", "1", true));
    expect(plots(timeline.take().items)).toEqual([3, 4]);
  });
});

describe("what is retained", () => {
  const retention = { headChars: 1000, tailChars: 1000, imageBytes: 10 };
  const line = `${"x".repeat(99)}\n`;

  it("is the beginning and the end, with the size of what is missing", () => {
    const timeline = new Timeline({ retention });
    for (let count = 0; count < 10_000; count++)
      timeline.add(out(line, count % 2 ? "raw" : "stderr"));
    const { items } = timeline.take();
    const gap = items.find((item) => item.kind === "gap");
    const kept = items.reduce((sum, item) => sum + ("text" in item ? item.text.length : 0), 0);
    expect(items[0]).toMatchObject({ kind: "text" });
    expect(items.at(-1)).toMatchObject({ kind: "text", text: line });
    expect(kept).toBeLessThan(3000);
    expect(gap).toMatchObject({ chars: 1_000_000 - kept, lines: 10_000 - kept / 100 });
  });

  it("is the first and the last of too many pictures", () => {
    const timeline = new Timeline({ retention });
    for (let count = 0; count < 9; count++) timeline.add(image(`pic${count}`));
    expect(taken(timeline)).toEqual(["[pic0]", "[pic1]", "(0 chars, 0 lines)", "[pic7]", "[pic8]"]);
  });

  it("is only the end for who wants no beginning", () => {
    const timeline = new Timeline({ retention: { ...retention, headChars: 0 } });
    for (let count = 0; count < 100; count++) timeline.add(out(lineOf(count)));
    expect(timeline.untaken()).toBe(undefined);
    expect(taken(timeline)).toEqual([expect.stringMatching(/^\(/), expect.stringContaining("99")]);
  });

  it("is recorded whole", () => {
    let recorded = 0;
    const record = (item: OutputItem) => {
      recorded += item.kind === "text" ? item.text.length : 0;
    };
    const timeline = new Timeline({ retention, record });
    for (let count = 0; count < 1000; count++) timeline.add(out(line));
    expect(recorded).toBe(100_000);
  });

  function lineOf(count: number): string {
    return `${String(count).repeat(2000)}\n`;
  }
});
