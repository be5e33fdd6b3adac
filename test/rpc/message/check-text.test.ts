/** What is not sent: the same that a reader with the same limits would refuse. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS } from "../../../src/rpc/json/json-limits.ts";
import { scanStructure } from "../../../src/rpc/json/scan-structure.ts";
import { checkText } from "../../../src/rpc/message/check-text.ts";
import { campaign } from "../../support/campaign.ts";

const throws = (act: () => void): boolean => {
  try {
    act();
    return false;
  } catch {
    return true;
  }
};

describe("a text that is about to be sent", () => {
  it("is refused where a reader would refuse it, however short it is", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 12 }),
        (value, maxDepth, maxValues) => {
          const text = JSON.stringify(value);
          const json = { maxLength: 1 << 20, maxDepth, maxValues };
          const isRefused = throws(() => scanStructure(text, json));
          expect(throws(() => checkText(text, { json, maxBytes: undefined }))).toBe(isRefused);
        },
      ),
      campaign(1000),
    );
  });

  it.each([1, 2, 3, 10])("is refused one level beyond %i, and not before", (maxDepth) => {
    const json = { ...JSON_LIMITS, maxDepth };
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(throws(() => checkText(nested(maxDepth), { json, maxBytes: undefined }))).toBe(false);
    expect(throws(() => checkText(nested(maxDepth + 1), { json, maxBytes: undefined }))).toBe(true);
  });

  it.each([1, 2, 3, 10])("is refused one value beyond %i, and not before", (maxValues) => {
    const json = { ...JSON_LIMITS, maxValues };
    const list = (count: number) => JSON.stringify(Array.from({ length: count - 1 }, () => 0));
    expect(throws(() => checkText(list(maxValues), { json, maxBytes: undefined }))).toBe(false);
    expect(throws(() => checkText(list(maxValues + 1), { json, maxBytes: undefined }))).toBe(true);
  });

  it("is refused with a name that no reader takes", () => {
    const text = JSON.stringify(JSON.parse('{"__proto__":1}'));
    expect(() => checkText(text, { json: JSON_LIMITS, maxBytes: undefined })).toThrow("__proto__");
  });
});
