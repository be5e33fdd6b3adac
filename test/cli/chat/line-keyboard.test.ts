import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineKeyboard } from "../../../src/cli/chat/terminal/line-keyboard.ts";

/** What comes out of a pipe that these pieces went into, until its end. */
async function linesOf(...pieces: readonly (string | Buffer)[]): Promise<string[]> {
  const input = new PassThrough();
  const keyboard = new LineKeyboard({ input, isPerson: false, prompt() {} });
  for (const piece of pieces) input.write(piece);
  input.end();
  const lines: string[] = [];
  for (;;) {
    const line = await keyboard.line().catch((error: Error) => `${error.name}: ${error.message}`);
    if (line === undefined) return lines;
    lines.push(line);
  }
}

const never = new AbortController().signal;

describe("lines of a pipe", () => {
  it("come whole, however they are cut, the last one also without an end", async () => {
    const bytes = Buffer.from("one\n\nzwölf €\r\nlast");
    expect(await linesOf(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual([
      ...["one", "", "zwölf €", "last"],
    ]);
    expect(await linesOf("one\n")).toEqual(["one"]);
    expect(await linesOf()).toEqual([]);
  });

  it("are refused where they are not UTF-8, and the next one is read", async () => {
    const spoilt = Buffer.concat([Buffer.from("rm a"), Buffer.of(0xff), Buffer.from("\n")]);
    expect(await linesOf("ls\n", spoilt, "pwd\n")).toEqual([
      "ls",
      'ChatInputError: Cannot take the line "rm a\ufffd": it is not UTF-8, expected text that is',
      "pwd",
    ]);
  });

  it.each(["\u2028", "\u2029", "\r", "\v", "\f", "\u0085"])(
    "are one with a %j in them",
    async (at) => {
      expect(await linesOf(`echo one${at}rm two\n`)).toEqual([`echo one${at}rm two`]);
    },
  );

  it("are no answer where they are not UTF-8", async () => {
    const input = new PassThrough();
    const keyboard = new LineKeyboard({ input, isPerson: false, prompt() {} });
    input.end(Buffer.of(0x79, 0xff, 0x0a, 0x79, 0x0a));
    expect(await keyboard.answer(never)).toBe("y\ufffd");
    expect(await keyboard.answer(never)).toBe("y");
    expect(await keyboard.answer(never)).toBeUndefined();
  });

  it("are not half of one where the chat ends in the middle of it", async () => {
    const input = new PassThrough();
    const keyboard = new LineKeyboard({ input, isPerson: false, prompt() {} });
    input.write("rm -rf /data");
    const line = keyboard.line();
    await new Promise(setImmediate);
    keyboard.close();
    expect(await line).toBeUndefined();
  });

  it("wait in the pipe until they are wanted", async () => {
    const input = new PassThrough();
    const keyboard = new LineKeyboard({ input, isPerson: false, prompt() {} });
    input.write("one\n");
    expect(await keyboard.line()).toBe("one");
    input.write("two\n");
    await new Promise(setImmediate);
    input.write("three\n");
    await new Promise(setImmediate);
    expect(input.isPaused()).toBe(true);
    expect([await keyboard.line(), await keyboard.line()]).toEqual(["two", "three"]);
  });
});

describe("lines of a person whose terminal only does lines", () => {
  it("are no answer to a question that was asked after them", async () => {
    const input = new PassThrough();
    const keyboard = new LineKeyboard({ input, isPerson: true, prompt() {} });
    for (const typed of ["y\n", "y\ny\n"]) {
      input.write(typed);
      await new Promise(setImmediate);
    }
    const answer = keyboard.answer(never);
    await new Promise(setImmediate);
    input.write("n\n");
    expect(await answer).toBe("n");
  });

  it("wait for their turn, and are not asked for once they were typed", async () => {
    const input = new PassThrough();
    const shown: string[] = [];
    const prompt = (text: string) => void shown.push(text);
    const keyboard = new LineKeyboard({ input, isPerson: true, prompt });
    input.write("one\ntwo\n");
    await new Promise(setImmediate);
    expect([await keyboard.line(), await keyboard.line()]).toEqual(["one", "two"]);
    expect(shown).toEqual([]);
    const third = keyboard.line();
    input.write("three\n");
    expect([await third, shown]).toEqual(["three", ["> "]]);
  });
});
