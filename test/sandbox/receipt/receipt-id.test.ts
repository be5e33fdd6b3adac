import { describe, expect, it } from "vitest";
import { createReceiptId, RECEIPT_ID } from "../../../src/sandbox/receipt/receipt-id.ts";

describe("createReceiptId", () => {
  it("makes ids that differ and sort in the order of their making, within a millisecond too", () => {
    const ids = Array.from({ length: 5000 }, () => createReceiptId());
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(RECEIPT_ID);
  });

  it("keeps the order when the clock is set back", () => {
    const later = createReceiptId(Date.now() + 10_000);
    expect(createReceiptId() > later).toBe(true);
  });

  it("begins with the time", () => {
    const far = 2 ** 48 - 2;
    expect(createReceiptId(far).slice(0, 10)).toBe("7ZZZZZZZZY");
  });
});
