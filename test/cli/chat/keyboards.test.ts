import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ReadStream, WriteStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { LineKeyboard } from "../../../src/cli/chat/terminal/line-keyboard.ts";
import { TerminalKeyboard } from "../../../src/cli/chat/terminal/terminal-keyboard.ts";
import { choosePaint } from "../../../src/cli/chat/view/paint.ts";

function pipe() {
  const input = new PassThrough();
  const keyboard = new LineKeyboard({ input, isPerson: true, prompt() {} });
  return { keyboard, type: (line: string) => input.write(`${line}\n`) };
}

function terminal() {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 80 });
  output.resume();
  const keyboard = new TerminalKeyboard({
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    paint: choosePaint({}, false),
    interrupted() {},
  });
  return { keyboard, type: (line: string) => input.write(`${line}\r`) };
}

const never = new AbortController().signal;
const atOnce = (line: Promise<string | undefined>) => Promise.race([line, setImmediate("nothing")]);

describe.each([
  ["a pipe", pipe],
  ["a terminal", terminal],
])("whoever waits for a line of %s", (_, open) => {
  it("still does after a question that came meanwhile was answered", async () => {
    const { keyboard, type } = open();
    const line = keyboard.line();
    const answer = keyboard.answer(never);
    type("y");
    expect(await answer).toBe("y");
    type("ls");
    expect(await line).toBe("ls");
    keyboard.close();
  });

  it("still does after a question that came meanwhile was taken back", async () => {
    const { keyboard, type } = open();
    const line = keyboard.line();
    const asked = new AbortController();
    const answer = keyboard.answer(asked.signal);
    asked.abort();
    expect(await answer).toBeUndefined();
    type("ls");
    expect(await line).toBe("ls");
    keyboard.close();
  });

  it("waits behind a question that is open", async () => {
    const { keyboard, type } = open();
    const answer = keyboard.answer(never);
    const line = keyboard.line();
    type("y");
    expect(await answer).toBe("y");
    type("ls");
    expect(await line).toBe("ls");
    keyboard.close();
  });

  it("gets none when the chat ends during a question, and nothing is emptied after", async () => {
    const { keyboard } = open();
    const both = [keyboard.line(), keyboard.answer(never)];
    keyboard.close();
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
    expect(() => keyboard.forget()).not.toThrow();
  });

  it("gets its line though a question is taken back that was answered just now", async () => {
    const { keyboard, type } = open();
    const line = keyboard.line();
    const asked = new AbortController();
    const answer = keyboard.answer(asked.signal);
    type("y");
    await answer;
    asked.abort();
    type("ls");
    expect(await line).toBe("ls");
    keyboard.close();
  });
});

describe.each([
  ["only does lines", pipe],
  ["edits them", terminal],
])("what was typed before a question at a terminal that %s", (_, open) => {
  async function typedEarly(...lines: readonly string[]) {
    const opened = open();
    for (const line of lines) opened.type(line);
    // It is cut into lines over more than one turn.
    await setImmediate();
    await setImmediate();
    await opened.keyboard.unsay();
    return opened;
  }

  it("is no answer to it, and a line once it is answered", async () => {
    const { keyboard, type } = await typedEarly("/policy read-only", "y");
    const answer = keyboard.answer(never);
    await setImmediate();
    type("n");
    expect(await answer).toBe("n");
    expect(await atOnce(keyboard.line())).toBe("/policy read-only");
    expect(await atOnce(keyboard.line())).toBe("y");
    keyboard.close();
  });

  it("is no answer either where a line is waited for behind the question", async () => {
    const { keyboard, type } = await typedEarly("y");
    const answer = keyboard.answer(never);
    const line = keyboard.line();
    await setImmediate();
    type("n");
    expect([await answer, await atOnce(line)]).toEqual(["n", "y"]);
    keyboard.close();
  });

  it("is a line where the question is taken back", async () => {
    const { keyboard } = await typedEarly("ls");
    const asked = new AbortController();
    const answer = keyboard.answer(asked.signal);
    const line = keyboard.line();
    asked.abort();
    expect([await answer, await atOnce(line)]).toEqual([undefined, "ls"]);
    keyboard.close();
  });
});
