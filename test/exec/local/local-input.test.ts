/** What is written to a process that reads it late, in pieces, or not at all. */
import { PassThrough } from "node:stream";
import { setImmediate as soon } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LocalInput } from "../../../src/exec/local/local-input.ts";

const MUCH = 9 << 20;

function anInput(isTerminal = false) {
  const stdin = new PassThrough();
  const input = new LocalInput({ processId: "p", stdin, isTerminal, patienceMs: 40 });
  /** What becomes of a write by the time that nothing is left to do but to wait. */
  const tried = (bytes: Uint8Array) => {
    const answer = input.write(bytes).then(
      () => "taken",
      (error) => error.field,
    );
    return Promise.race([answer, soon("waits")]);
  };
  return { input, stdin, tried };
}

describe("a process that leaves too much unread", () => {
  it("is given time once, and until it has read something what does not fit is refused at once", async () => {
    const { input, stdin, tried } = anInput();
    const much = new Uint8Array(MUCH);
    expect(await tried(much)).toBe("taken");
    await expect(input.write(much)).rejects.toMatchObject({ field: "chunk" });
    expect(await tried(much)).toBe("chunk");
    expect(await tried(Buffer.from("less"))).toBe("taken");
    expect(await tried(much)).toBe("chunk");
    stdin.read();
    await soon();
    expect(await tried(much)).toBe("taken");
    expect(await tried(much)).toBe("waits");
  });

  it("has nothing of what was refused among what it reads then", async () => {
    const { input, stdin } = anInput();
    await input.write(Buffer.alloc(MUCH, "a"));
    await expect(input.write(Buffer.alloc(MUCH, "b"))).rejects.toMatchObject({ field: "chunk" });
    await input.write(Buffer.from("c"));
    await input.close();
    const read = Buffer.concat(await stdin.toArray());
    expect(read.length).toBe(MUCH + 1);
    expect(read.includes("b")).toBe(false);
  });
});

describe("the end of what is typed into a terminal", () => {
  it.each([
    ["once where nothing was typed", [], "\x04"],
    ["once behind a line", ["ab", "c\n"], "abc\n\x04"],
    ["once behind a line that the key for it ended", ["abc\r"], "abc\r\x04"],
    ["twice behind the middle of a line", ["a\n", "bc"], "a\nbc\x04\x04"],
    ["once where what was begun is handed on already", ["abc\x04"], "abc\x04\x04"],
  ])("is told %s", async (_, typed, expected) => {
    const { input, stdin } = anInput(true);
    for (const text of typed) await input.write(Buffer.from(text));
    await input.close();
    expect(String(stdin.read())).toBe(expected);
  });
});
