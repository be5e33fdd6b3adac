/** What somebody at a terminal is told of a connection that is lost while a command runs elsewhere. */
import { expect, it } from "vitest";
import { sayDrops } from "../../../src/cli/exec/say-drops.ts";
import type { Connect } from "../../../src/exec/index.ts";
import { createMemoryPair } from "../../../src/rpc/index.ts";

const ADDRESS = "ws://127.0.0.1:4500";
const SIGNAL = new AbortController().signal;

/** Whether each attempt connects, and how many seconds after the first one. */
type Attempt = readonly [can: boolean, seconds: number];

async function saidOf(attempts: readonly Attempt[], isWatched: boolean): Promise<string[]> {
  const said: string[] = [];
  let [can, seconds]: Attempt = [true, 0];
  const connect: Connect = async () => {
    if (can) return createMemoryPair()[0];
    throw new Error("nobody listens there");
  };
  const world = { isWatched, err: (text: string) => void said.push(text) };
  const told = sayDrops(connect, ADDRESS, world, () => seconds * 1000);
  for (const attempt of attempts) {
    [can, seconds] = attempt;
    await told(SIGNAL).catch(() => {});
  }
  return said;
}

const LINE = `writ: the connection to "${ADDRESS}" was lost; trying again for 25 seconds\n`;
const attempts = (...all: Attempt[]) => all;

it.each([
  ["nothing before there is one", attempts([false, 0], [false, 1], [true, 2]), []],
  ["one line, however often it is tried", attempts([true, 0], [false, 1], [true, 2]), [LINE]],
  ["one line of one that drops on and on", attempts([true, 0], [true, 1], [true, 2]), [LINE]],
  ["a line of each drop", attempts([true, 0], [true, 1], [true, 60]), [LINE, LINE]],
])("is %s", async (_, all, expected) => {
  expect(await saidOf(all, true)).toEqual(expected);
});

it("is nothing in a pipe", async () => {
  expect(
    await saidOf(
      [
        [true, 0],
        [false, 1],
      ],
      false,
    ),
  ).toEqual([]);
});
