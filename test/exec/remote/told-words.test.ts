/** What a machine says is in the way becomes part of a thread: it is bounded before. */
import { describe, expect, it } from "vitest";
import { LOOK_RECEIPTS_CAPABILITY } from "../../../src/exec/protocol/file-methods.ts";
import { aRequest, CWD, executorOf, SANDBOXED } from "./support/fake-executor.ts";
import { ENFORCING, FakeServer, PROMISE } from "./support/fake-server.ts";

const ID = "01M7TPCPZF50SKRY18RT977X87";

/** A server that refuses everything with these words and this receipt. */
async function refusing(message: string, receiptId: string) {
  const server = new FakeServer();
  const answer = () => ({ error: { code: -32602, message, data: { writ: { receiptId } } } });
  for (const method of ["process/start", "fs/readFile"]) server.on(method, answer);
  return executorOf(server);
}

/** What is told of a look that was shown, of one that failed and of one that was refused. */
async function receiptsOfLooks(receiptId: string): Promise<readonly string[]> {
  const { environmentInfo } = ENFORCING;
  const capabilities = { [LOOK_RECEIPTS_CAPABILITY]: true };
  const server = new FakeServer({
    environmentInfo: { ...environmentInfo, capabilities },
    writ: PROMISE,
  });
  const writ = { receiptId };
  const answers = [
    { result: { dataBase64: "", writ } },
    { error: { code: -32004, message: "it is not there (os error 2)", data: { writ } } },
    { error: { code: -32600, message: "it is denied", data: { field: "sandbox", writ } } },
  ];
  server.on("fs/readFile", () => answers.shift());
  const { files } = await executorOf(server);
  const told: string[] = [];
  const record = { ids: {}, kept: (id: string) => told.push(id) };
  const look = () => files.readFile(AT, { record }).then(() => "shown", nameOf);
  expect([await look(), await look(), await look()]).toEqual(["shown", "FileError", "ExecError"]);
  return told;
}

const nameOf = ({ name }: Error) => name;

const NO_IDS = [
  ["is none", "\u001b]0;x\u0007"],
  ["is too long", "R".repeat(1 << 20)],
];

const AT = { path: CWD, links: "follow", sandbox: SANDBOXED, anchor: null } as const;

describe("what another machine says is in the way", () => {
  it("is told on as it is where somebody can read it", async () => {
    const executor = await refusing("no such folder", ID);
    const started = executor.start(aRequest({ sandbox: SANDBOXED }));
    await expect(started).rejects.toMatchObject({ message: "no such folder", receiptId: ID });
  });

  it("is told on with no more than anybody reads", async () => {
    const executor = await refusing("no".repeat(1 << 20), ID);
    const errors = await Promise.all([
      executor.start(aRequest({ sandbox: SANDBOXED })).catch((error: Error) => error),
      executor.files.readFile(AT).catch((error: Error) => error),
    ]);
    for (const error of errors) {
      expect(error).toMatchObject({
        message: expect.stringMatching(/^nono.*… \(\d+ characters\)$/),
      });
      expect(Object(error).message.length).toBeLessThan(5000);
    }
  });

  it.each(NO_IDS)("names no receipt by an id that %s", async (_, receiptId) => {
    const executor = await refusing("no", receiptId);
    const started = executor.start(aRequest({ sandbox: SANDBOXED }));
    await expect(started).rejects.toMatchObject({ message: "no", receiptId: undefined });
  });
});

describe("the receipt of a look on another machine", () => {
  it("is told of by its id", async () => {
    expect(await receiptsOfLooks(ID)).toEqual([ID, ID, ID]);
  });

  it.each(NO_IDS)("is not told of by an id that %s", async (_, receiptId) => {
    expect(await receiptsOfLooks(receiptId)).toEqual([]);
  });
});
