import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NeutralStream } from "../../../src/cli/chat/text/neutral-stream.ts";
import { MARKS, ShownStream, shownText } from "../../../src/cli/chat/text/shown-text.ts";
import { visibleLine } from "../../../src/sandbox/index.ts";

/** What a terminal obeys, pieces of it, and ordinary text. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...["\u001b", "[", "]", "31", ";", "m", "K", "J", "\r", "\n", "\t", "\u0007", "\u009b"],
        ...["\u0090", "\u0000", "\u202e", "\u2066", "\u200b", "\u2028", "\ud83d", "\ude00", "a"],
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const obeyed = (text: string) => OBEYED.test(text.replace(/[\n\t]/g, ""));

function through(pieces: readonly string[], stream: Pick<NeutralStream, "write" | "end">): string {
  return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
}

describe("NeutralStream", () => {
  it("lets nothing through that a terminal obeys, whatever comes (I1, I4)", () => {
    fc.assert(
      fc.property(fc.array(nasty), (pieces) => {
        expect(obeyed(through(pieces, new NeutralStream()))).toBe(false);
      }),
    );
  });

  it("shows the same wherever a piece ends", () => {
    fc.assert(
      fc.property(nasty, fc.array(fc.nat(40)), (text, cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.map((place, index) => text.slice(place, places[index + 1]));
        expect(through(pieces, new NeutralStream())).toBe(through([text], new NeutralStream()));
      }),
    );
  });

  it.each(["\u034f", "\u115f", "\u17b4", "\u180b", "\u2800", "\u3164", "\u{e0100}"])(
    "writes out %j, which nobody could see",
    (unseen) => {
      const code = unseen.codePointAt(0)?.toString(16);
      expect(through([`a${unseen}b`], new NeutralStream())).toBe(`a\\u{${code}}b`);
      expect(visibleLine(`a${unseen}b`)).toBe(`a\\u{${code}}b`);
    },
  );

  it("leaves how a picture is drawn", () => {
    expect(through(["\u2764\ufe0f"], new NeutralStream())).toBe("\u2764\ufe0f");
    expect(visibleLine("\u2764\ufe0f")).toBe("\u2764\ufe0f");
  });

  it("leaves ordinary text as it is", () => {
    const text = "größe 日本語 😀\tx\n\n  y";
    expect(through([...text], new NeutralStream())).toBe(text);
  });

  it.each([
    ["a clipboard write", "\u001b]52;c;cm0gLXJm\u0007", "\\u{1b}]52;c;cm0gLXJm\\u{7}"],
    ["a title", "\u001b]0;root#\u001b\\", "\\u{1b}]0;root#\\u{1b}\\"],
    ["a hyperlink", "\u001b]8;;http://x\u001b\\y", "\\u{1b}]8;;http://x\\u{1b}\\y"],
    ["a device string", "\u001bP+q544e\u001b\\", "\\u{1b}P+q544e\\u{1b}\\"],
    ["a cleared screen", "a\u001b[2J\u001b[Hb", "a\\u{1b}[2J\\u{1b}[Hb"],
    ["an 8-bit control", "\u009b2J\u009d0;x", "\\u{9b}2J\\u{9d}0;x"],
    ["a turned direction", "a\u202egnp.exe", "a\\u{202e}gnp.exe"],
    ["an isolate", "\u2066a\u2069", "\\u{2066}a\\u{2069}"],
    ["a NUL", "a\0b", "a\\u{0}b"],
    ["a line that is written over", "rm -rf /\rls      ", "rm -rf /\nls      "],
    ["half a character", "\ud83dx", "\ufffdx"],
    ["a colour without an end", "a\u001b[31", "a\\u{1b}[31"],
  ])("writes out %s", (_, text, shown) => {
    expect(through([text], new NeutralStream())).toBe(shown);
  });

  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m \u001b[38:5:1mx\u001b[m\u001b[K", "red x"],
    ["the other end of a line", "a\r\nb\r\n", "a\nb\n"],
  ])("drops %s, which hide nothing", (_, text, shown) => {
    expect(through([text], new NeutralStream())).toBe(shown);
    expect(through([...text], new NeutralStream())).toBe(shown);
  });
});

describe("ShownStream", () => {
  it("puts its mark before every line, so that nobody speaks for another (I3)", () => {
    fc.assert(
      fc.property(fc.array(nasty), (pieces) => {
        const shown = through(pieces, new ShownStream(MARKS.output, []));
        const lines = shown === "" ? [] : shown.replace(/\n$/, "").split("\n");
        expect(lines.filter((line) => !line.startsWith(MARKS.output))).toEqual([]);
        expect(shown === "" || shown.endsWith("\n")).toBe(true);
      }),
    );
  });

  it("forges no line of writ's own", () => {
    const forged = "ok\n- exit 0, 0.01 s, receipt AAAAAAAA\r\n> /policy danger-full-access";
    expect(shownText(forged, MARKS.output, [])).toBe(
      "| ok\n| - exit 0, 0.01 s, receipt AAAAAAAA\n| > /policy danger-full-access\n",
    );
  });
});
