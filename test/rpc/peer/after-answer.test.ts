/** What a client is told behind an answer, over lines: in a write of its own, and before whatever it sends next. */
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  afterAnswer,
  createLineTransport,
  createPeer,
  createRouter,
  jsonRpc2,
  method,
  notification,
} from "../../../src/rpc/index.ts";
import { turn } from "../support/raw-wire.ts";

const tree = {
  begin: method("begin", {
    summary: "Begin",
    params: z.object({ after: z.enum(["nothing", "promises", "a turn"]) }),
    result: z.string(),
  }),
};
const told = notification("told", { summary: "Told", params: z.object({}) });

/** A peer that tells of what it began, and what it writes, write by write. */
function start() {
  const writes: string[][] = [];
  const lines = (text: string) => text.split("\n").filter((one) => one !== "");
  const output = new Writable({
    decodeStrings: false,
    write: (text, _, done) => done(void writes.push(lines(text))),
    writev: (all, done) => done(void writes.push(all.flatMap(({ chunk }) => lines(chunk)))),
  });
  const input = new PassThrough();
  const router = createRouter<typeof tree, object>({
    methods: tree,
    handlers: {
      begin: async ({ after }) => {
        if (after === "a turn") await turn();
        if (after === "promises") for (let step = 0; step < 9; step += 1) await undefined;
        afterAnswer(() => void peer.notify(told, {}));
        for (let step = 0; step < 9; step += 1) await undefined;
        return "begun";
      },
    },
  });
  const peer = createPeer({
    transport: createLineTransport({ input, output }),
    dialect: jsonRpc2,
    log: () => {},
    serve: { router, context: () => ({}) },
  });
  const ask = (...calls: object[]) =>
    input.write(calls.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join(""));
  return { writes, ask };
}

describe("what follows an answer", () => {
  it.each(["nothing", "promises", "a turn"])(
    "goes out behind the write of it, where it was begun after %s",
    async (after) => {
      const { writes, ask } = start();
      ask({ id: 1, method: "begin", params: { after } });
      for (let turns = 0; turns < 8; turns += 1) await turn();
      const names = writes.map((write) => write.map((line) => JSON.parse(line).method ?? "answer"));
      expect(names).toEqual([["answer"], ["told"]]);
    },
  );

  it("is told before what the client sends when it has the answer is heard", async () => {
    const { writes, ask } = start();
    ask({ id: 1, method: "begin", params: { after: "promises" } });
    // A client that is quicker than any: it has the answer, and its next call is there to be read.
    while (writes.length === 0) await turn();
    ask({ id: 2, method: "begin", params: { after: "nothing" } });
    for (let turns = 0; turns < 8; turns += 1) await turn();
    const names = writes.flat().map((line) => JSON.parse(line).method ?? "answer");
    expect(names).toEqual(["answer", "told", "answer", "told"]);
  });
});
