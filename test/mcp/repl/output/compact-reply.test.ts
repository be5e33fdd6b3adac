import { describe, expect, it } from "vitest";
import { type BundleView, compactReply } from "../../../../src/mcp/repl/output/compact-reply.ts";
import type { OutputEvent } from "../../../../src/mcp/repl/output/output-event.ts";
import { DEFAULT_BUDGET } from "../../../../src/mcp/repl/output/reply-budget.ts";
import { Timeline } from "../../../../src/mcp/repl/output/timeline.ts";
import { err, image, lines, out, read, shown } from "../support/printed.ts";

const RETENTION = { headChars: 100_000, tailChars: 100_000, imageBytes: 1 << 20 };
const BUNDLE: BundleView = {
  transcript: "/b/transcript.txt",
  events: "/b/events.log",
  images: "/b/images",
  isCut: false,
};

function replyTo(
  events: readonly OutputEvent[],
  bundle: BundleView | undefined = BUNDLE,
  options: Partial<typeof DEFAULT_BUDGET> & { retention?: typeof RETENTION } = {},
) {
  const { retention = RETENTION, ...budget } = options;
  const timeline = new Timeline({ retention });
  for (const event of events) timeline.add(event);
  return compactReply(timeline.take(), { ...DEFAULT_BUDGET, ...budget }, bundle);
}

const prompt: OutputEvent = { kind: "prompt", text: "> " };
const echo: OutputEvent = { kind: "echo", text: `> ${"x <- 1; ".repeat(600)}\n` };

describe("a reply that fits", () => {
  it("is one empty text when nothing was printed", () => {
    expect(replyTo([])).toEqual([{ type: "text", text: "" }]);
  });

  it("case 9: is one text, the prompt in it", () => {
    expect(replyTo([out("[1] 2\n"), prompt])).toEqual([{ type: "text", text: "[1] 2\n> " }]);
  });

  it("case 45: has each line of the server as an item", () => {
    const events: OutputEvent[] = [
      { kind: "status", text: "<<repl status: busy>>" },
      { kind: "notice", text: "[repl] input discarded while worker busy" },
    ];
    expect(shown(replyTo(events))).toEqual(
      [events[0], events[1]].map((one) => one && "text" in one && one.text),
    );
  });

  it("case 107: shows 3700 characters whole", () => {
    const text = "x".repeat(3700);
    expect(shown(replyTo([out(text)]))).toEqual([text]);
  });

  it("case 96: shows the last state of a picture only", () => {
    const events = [image("a", "1"), out("between\n"), image("b", "1", true)];
    expect(shown(replyTo(events))).toEqual(["between\n", "[b]"]);
  });
});

describe("too much text", () => {
  it("case 108: shows whole lines of the beginning and the end, and says which", () => {
    const text = read(replyTo([out(lines(80, 125)), prompt]));
    const [, a, b, c, n] =
      /\.\.\.\[middle truncated; shown lines 1-(\d+) and (\d+)-(\d+) of (\d+) total; full output: \/b\/transcript\.txt\]\.\.\.\n/.exec(
        text,
      ) ?? [];
    const all = `${lines(80, 125)}> `.split("\n");
    const [head, tail] = text.split(/\.\.\.\[.*\]\.\.\.\n/);
    expect([c, n]).toEqual(["81", "81"]);
    expect(head).toBe(`${all.slice(0, Number(a)).join("\n")}\n`);
    expect(tail).toBe(all.slice(Number(b) - 1).join("\n"));
    expect(Number(a)).toBe(18);
    expect(text.length).toBeLessThan(3700);
  });

  it("case 110: counts characters where there are no lines", () => {
    const text = read(replyTo([out("x".repeat(6000))]));
    expect(text).toContain("shown chars 1-2333 and 4835-6000 of 6000 total; full output: ");
  });

  it("case 111: says where the echo is when only that is too much", () => {
    expect(shown(replyTo([echo, prompt]))).toEqual([
      "> \n...[full output: /b/transcript.txt]...\n",
    ]);
    expect(shown(replyTo([echo]))).toEqual(["...[full output: /b/transcript.txt]...\n"]);
  });

  it("case 114: says what is missing from the file", () => {
    const text = read(replyTo([out(lines(80, 125))], { ...BUNDLE, isCut: true }));
    expect(text).toContain("full output: /b/transcript.txt; later content omitted]...");
  });

  it("case 115: says that there is no file", () => {
    const timeline = new Timeline({ retention: RETENTION });
    timeline.add(out(lines(80, 125)));
    const text = read(compactReply(timeline.take(), DEFAULT_BUDGET, undefined));
    expect(text).toContain("of 80 total; output bundle unavailable]...");
  });

  it("marks stderr again behind the cut", () => {
    const text = read(replyTo([err(lines(80, 125))]));
    expect(text).toMatch(/^stderr: L0001/);
    expect(text).toMatch(/\]\.\.\.\nstderr: L00\d\d/);
  });

  it("keeps the lines of the server, wherever they stand", () => {
    const notice: OutputEvent = { kind: "notice", text: "[repl] in the middle" };
    const events = [out(lines(40, 125)), notice, out(lines(40, 125))];
    const items = shown(replyTo([...events, { kind: "status", text: "<<last>>" }]));
    expect(items).toHaveLength(4);
    expect(items[1]).toBe("[repl] in the middle");
    expect(items[3]).toBe("<<last>>");
    expect(items[2]).toMatch(/^L00/);
  });

  it("counts what was not retained", () => {
    const retention = { headChars: 8000, tailChars: 8000, imageBytes: 1 };
    const text = read(replyTo([out(lines(9000, 100))], BUNDLE, { retention }));
    expect(text).toContain("shown lines 1-23 and 8990-9000 of 9000 total");
    expect(text).toMatch(/L9000\.+\n$/);
  });

  it("says so when less was retained than it could show", () => {
    const retention = { headChars: 400, tailChars: 400, imageBytes: 1 };
    const text = read(replyTo([out(lines(300, 10))], BUNDLE, { retention }));
    expect(text).toContain("shown chars 1-300 and 2801-3000 of 3000 total; full output: ");
    expect(text.startsWith(lines(30, 10))).toBe(true);
    expect(
      text.endsWith(`]...
${lines(300, 10).slice(2800)}`),
    ).toBe(true);
  });

  it("counts characters where the end is one long line", () => {
    const text = read(replyTo([out(lines(80, 125)), out("x".repeat(5000))]));
    expect(text).toContain("shown chars 1-2250 and 13835-15000 of 15000 total");
  });

  it.each([3500, 3501, 3502, 3503])(
    "never splits a character, by a budget of %i",
    (inlineChars) => {
      const text = read(replyTo([out(`x${"😀".repeat(4000)}`)], BUNDLE, { inlineChars }));
      const other = read(replyTo([out("😀".repeat(4000))], BUNDLE, { inlineChars }));
      expect([text.isWellFormed(), other.isWellFormed()]).toEqual([true, true]);
    },
  );

  it("keeps to the budget that is set", () => {
    const text = read(replyTo([out(lines(80, 125))], BUNDLE, { inlineChars: 600 }));
    expect(text).toContain("shown lines 1-3 and 80-80 of 80 total");
    expect(shown(replyTo([out(lines(80, 125))], BUNDLE, { inlineChars: 20_000 }))).toHaveLength(1);
  });

  it("names the files as resources for who wants them", () => {
    const items = shown(replyTo([out(lines(80, 125))], BUNDLE, { hasLinks: true }));
    expect(items.slice(1)).toEqual(["<file:///b/transcript.txt>", "<file:///b/events.log>"]);
  });
});

describe("too many pictures", () => {
  const six = [1, 2, 3, 4, 5, 6].flatMap((n) => [out(`text ${n}\n`), image(`pic${n}`, String(n))]);

  it("case 100: are the first and the last, with the place of all", () => {
    expect(shown(replyTo([...six, prompt]))).toEqual([
      "text 1\n",
      "[pic1]",
      expect.stringMatching(
        /^\.\.\.\[middle truncated; first and last images shown inline; ordered output bundle index: \/b\/events\.log\]\.\.\.\ntext 2\n(text \d\n)*text 6\n$/,
      ),
      "[pic6]",
      "> ",
    ]);
  });

  it("are five and no fewer", () => {
    expect(shown(replyTo(six.slice(0, 8))).filter((item) => item.startsWith("["))).toHaveLength(4);
    expect(shown(replyTo(six.slice(0, 10))).filter((item) => item.startsWith("["))).toHaveLength(2);
  });

  it("name the folder of pictures where there is no text", () => {
    const only = six.filter(({ kind }) => kind === "image");
    const text = read(replyTo(only, { images: "/b/images", isCut: false }));
    expect(text).toContain("first and last images shown inline; output bundle images: /b/images]");
  });

  it("are those of one picture too, whose last state is shown", () => {
    const states = Array.from({ length: 6 }, (_, n) => image(`s${n}`, "1", n > 0));
    const items = shown(replyTo([out("a\n"), ...states]));
    expect(items).toEqual(["a\n", "[s5]", expect.stringContaining("one image shown inline")]);
  });

  it("leave little text around them", () => {
    const long = out(lines(80, 125));
    const items = replyTo([long, image("a"), long, image("b"), long]);
    const [head, , between, , after] = shown(items);
    expect(items).toHaveLength(5);
    expect(head?.length).toBe(1125);
    expect(between?.split("]...\n")[1]?.length).toBe(625);
    expect(after?.length).toBe(375);
  });

  it("are not shown when one is too large for a reply", () => {
    const items = shown(replyTo([out("a\n"), image("large"), prompt], BUNDLE, { imageBytes: 4 }));
    expect(items).toEqual([expect.stringContaining("no image shown inline; ordered")]);
    expect(items[0]).toMatch(/^a\n> \n\.\.\./);
  });
});
