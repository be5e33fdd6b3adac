import { describe, expect, it } from "vitest";
import { latestRecords } from "../../src/app-server/threads/latest-records.ts";
import { aMessage, anItem } from "./store/support/kept-threads.ts";

describe("what is kept of items that change at once", () => {
  it("is what each became, in the order in which they began", () => {
    const [first, second] = [aMessage("first"), aMessage("second")];
    const begun = [first, second].map((item) => anItem(item, { completedAt: null }));
    const ended = anItem(aMessage("first", "whole"), { completedAt: 9 });
    expect(latestRecords([...begun, ended])).toEqual([ended, begun[1]]);
  });

  it("is all of it where each is another", () => {
    const records = ["one", "two"].map((id) => anItem(aMessage(id)));
    expect(latestRecords(records)).toEqual(records);
    expect(latestRecords(records.slice(1))).toEqual(records.slice(1));
    expect(latestRecords([])).toEqual([]);
  });
});
