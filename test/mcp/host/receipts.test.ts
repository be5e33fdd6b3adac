/** Which receipt a host knows of a call. */
import { expect, it } from "vitest";
import { RECEIPT_KEY, receiptOfResult } from "../../../src/mcp/index.ts";
import { DONE, RawHost, reply } from "./support/raw-server.ts";
import { sandboxIn } from "./support/sandboxes.ts";

const OWN = "01K00000000000000000000001";
const NAMED = "01K00000000000000000000002";

async function receiptOf(said: unknown, own: string | null): Promise<string | null> {
  const _meta = said === undefined ? undefined : { [RECEIPT_KEY]: said };
  const host = new RawHost([
    { call: (process, message) => reply(process, message, { ...DONE, _meta }) },
  ]);
  host.receiptId = own;
  const called = await host.connection.callForModel({ name: "look" }, () => sandboxIn("read-only"));
  await host.connection.close();
  return receiptOfResult(called);
}

it("is the one that the server names", async () => {
  expect(await receiptOf({ version: 1, receiptId: NAMED }, OWN)).toBe(NAMED);
  expect(await receiptOf({ version: 1, receiptId: NAMED }, null)).toBe(NAMED);
});

it.each([
  ["nothing", undefined],
  ["no id", { version: 1, receiptId: "../../etc" }],
  ["another version", { version: 2, receiptId: NAMED }],
  ["no object", NAMED],
  ["null", null],
])("is that of the server's own process where it says %s", async (_, said) => {
  expect(await receiptOf(said, OWN)).toBe(OWN);
  expect(await receiptOf(said, null)).toBeNull();
});
