import { expect, it } from "vitest";
import { ItemIds } from "../../../src/agent/turn/item-ids.ts";

it("an id of ours, for one that is none or was there before, is as short as every provider takes it", () => {
  const ids = new ItemIds([]);
  expect(ids.take("call_1")).toBe("call_1");
  for (const id of ["", "call_1", "a b"]) expect(ids.take(id)).toMatch(/^[\w-]{1,40}$/);
});
