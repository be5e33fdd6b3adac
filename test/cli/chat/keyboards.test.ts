import { PassThrough } from "node:stream";
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
