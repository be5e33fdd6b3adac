import { describe, expect, it } from "vitest";
import { drawTerminal } from "../../tools/picture/draw-terminal.ts";
import { styledLines } from "../../tools/picture/styled-lines.ts";

describe("styledLines", () => {
  it("keeps a style over ends of lines, and a weight while colours change", () => {
    const lines = styledLines("a\u001b[1mb\nc\u001b[0;2m\u001b[39m\u001b[49md\u001b[31me\n\n");
    expect(lines).toEqual([
      [
        { text: "a", style: "plain" },
        { text: "b", style: "strong" },
      ],
      [
        { text: "c", style: "strong" },
        { text: "d", style: "faint" },
        { text: "e", style: "bad" },
      ],
    ]);
  });

  it.each(["\u001b[35mpurple", "\u001b[2Kgone"])("refuses what it cannot draw: %j", (captured) => {
    expect(() => styledLines(captured)).toThrow("Cannot draw");
  });
});

describe("drawTerminal", () => {
  const lines = styledLines("> a  <b> & c\n>");
  const svg = drawTerminal({ title: "t & u", columns: 20, lines });

  it("writes text that no reader of XML takes for markup, and loses no space", () => {
    expect(svg).toContain(">&gt;\u00a0a\u00a0\u00a0&lt;b&gt;\u00a0&amp;\u00a0c</tspan>");
    expect(svg).toContain('<title id="title">t &amp; u</title>');
  });

  it("tells its text to those who cannot see it", () => {
    expect(svg).toContain('<desc id="desc">&gt; a  &lt;b&gt; &amp; c\n&gt;</desc>');
  });

  it("puts the cursor where the next line would be typed", () => {
    expect(svg).toMatch(/<rect x="35\.6" y="65" [^>]*height="16"/);
  });
});
