import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { feedInput } from "../../../src/cli/exec/feed-input.ts";
import { ExecError } from "../../../src/exec/index.ts";

const NO_ROOM = new ExecError("invalidRequest", "no room", { field: "chunk" });

/** A command elsewhere whose answers are given one after the other; it takes all that comes behind them. */
function aCommand(...answers: (boolean | Error)[]) {
  const said: string[] = [];
  const write = async (bytes: Uint8Array) => {
    const answer = answers.shift() ?? true;
    if (answer instanceof Error) throw answer;
    said.push(String(bytes));
    return answer;
  };
  const closeInput = async () => void said.push("the end");
  const faults = {
    unread: ({ message }: Error) => void said.push(`unread: ${message}`),
    lost: ({ message }: Error) => void said.push(`lost: ${message}`),
  };
  const feed = (input: Readable) => feedInput(input, { write, closeInput }, faults);
  return { said, feed };
}

it("tries a piece again that found no room, before the next one", async () => {
  const { said, feed } = aCommand(true, NO_ROOM, NO_ROOM);
  feed(Readable.from(["a", "b", "c"]));
  await expect.poll(() => said).toEqual(["a", "b", "c", "the end"]);
});

it("says what else came in the way, and hands on nothing behind it", async () => {
  const { said, feed } = aCommand(true, new ExecError("notAllowed", "no more of it"));
  feed(Readable.from(["a", "b", "c"]));
  await expect.poll(() => said).toEqual(["a", "lost: no more of it"]);
});

it("says what cannot be read, which is the end of it", async () => {
  const { said, feed } = aCommand();
  const broken = async function* () {
    yield "a";
    throw new Error("EBADF");
  };
  feed(Readable.from(broken()));
  await expect.poll(() => said).toEqual(["a", "unread: EBADF", "the end"]);
});

it("says nothing of what it can no longer hand on once it was stopped", async () => {
  const { said, feed } = aCommand(true, NO_ROOM);
  const stop = feed(Readable.from(["a", "b"]));
  await expect.poll(() => said).toEqual(["a"]);
  stop();
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(said).toEqual(["a"]);
});
