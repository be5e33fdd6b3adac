/** Spec 1.4: what an answer to `process/read` has to account for. */
import { describe, expect, it } from "vitest";
import { recoveredEvents } from "../../../src/exec/remote/processes/recovered-events.ts";
import type { ReadAnswer } from "../../../src/exec/remote/processes/remote-event.ts";

function answer(seqs: readonly number[], more: Partial<ReadAnswer> = {}): ReadAnswer {
  return {
    chunks: seqs.map((seq) => ({ seq, stream: "stdout", chunk: "eA==" })),
    nextSeq: (seqs.at(-1) ?? 0) + 1,
    exited: false,
    exitCode: null,
    closed: false,
    failure: null,
    sandboxDenied: false,
    ...more,
  };
}

const EXITED = { exited: true, exitCode: 3 };
const fresh = { lastSeq: 0, hasExit: false };

function told(read: ReadAnswer, known = fresh): string[] {
  const events = recoveredEvents(read, known);
  if (typeof events === "string") throw new Error(events);
  return events.map(({ kind, seq }) => `${kind} ${seq}`);
}

describe("the events of an answer", () => {
  it.each([
    ["nothing new", answer([], { nextSeq: 1 }), fresh, []],
    ["output", answer([1, 2]), fresh, ["output 1", "output 2"]],
    ["output after a number", answer([5]), { lastSeq: 4, hasExit: false }, ["output 5"]],
    ["an exit at the end", answer([1], { ...EXITED, nextSeq: 3 }), fresh, ["output 1", "exited 2"]],
    [
      "an exit between output",
      answer([1, 3], { ...EXITED, nextSeq: 4 }),
      fresh,
      ["output 1", "exited 2", "output 3"],
    ],
    [
      "an exit and the close",
      answer([1], { ...EXITED, closed: true, nextSeq: 4 }),
      fresh,
      ["output 1", "exited 2", "closed 3"],
    ],
    ["what was asked for and came meanwhile", answer([3, 4]), { lastSeq: 4, hasExit: false }, []],
    ["the rest of it", answer([3, 4, 5]), { lastSeq: 4, hasExit: false }, ["output 5"]],
    ["less than is known", answer([3]), { lastSeq: 4, hasExit: false }, []],
    [
      "the close after an exit that is known",
      answer([], { ...EXITED, closed: true, nextSeq: 6 }),
      { lastSeq: 4, hasExit: true },
      ["closed 5"],
    ],
    [
      "output after an exit that is known",
      answer([5], EXITED),
      { lastSeq: 4, hasExit: true },
      ["output 5"],
    ],
  ])("are %s", (_, read, known, expected) => {
    expect(told(read, known)).toEqual(expected);
  });

  it.each([
    ["output that was not retained", answer([2, 3])],
    ["a number in the middle", answer([1, 3])],
    ["the same number twice", answer([1, 1], { nextSeq: 3 })],
    ["numbers out of order", answer([2, 1], { nextSeq: 3 })],
    ["a number that is not reached", answer([1, 9], { nextSeq: 3 })],
    ["more numbers than could ever be told", answer([], { nextSeq: 2 ** 53 - 1 })],
    ["an exit without a number", answer([1], { ...EXITED, nextSeq: 2 })],
    ["a second number without output", answer([1], { ...EXITED, nextSeq: 4 })],
    ["an exit without a code", answer([1], { exited: true, nextSeq: 3 })],
    ["a close without an exit", answer([1], { closed: true, nextSeq: 3 })],
    ["a failure", answer([1], { failure: "it broke" })],
  ])("are refused with %s", (_, read) => {
    expect(recoveredEvents(read, fresh)).toEqual(expect.any(String));
  });

  it("are not made of text that is no base64", () => {
    const chunks = [{ seq: 1, stream: "stdout", chunk: "eA" } as const];
    expect(() => recoveredEvents(answer([1], { chunks }), fresh)).toThrow(RangeError);
  });
});

it("tells why there is no receipt with the close", () => {
  const closed = { ...EXITED, closed: true, nextSeq: 3, writ: { unkept: "there is no room" } };
  const events = recoveredEvents(answer([], closed), fresh);
  expect(events.at(-1)).toMatchObject({ kind: "closed", unkept: "there is no room" });
});
