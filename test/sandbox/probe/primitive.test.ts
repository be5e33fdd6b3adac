import { describe, expect, it } from "vitest";
import { bestTier, NEEDED, type Primitive } from "../../../src/sandbox/probe/primitive.ts";
import { isolationWithout } from "../../../src/sandbox/probe/probe-isolation.ts";

const one = (name: string, over: Partial<Primitive> = {}): Primitive => ({
  name,
  level: "needed",
  present: true,
  detail: "",
  ...over,
});
const all = NEEDED.map((name) => one(name));

describe("bestTier", () => {
  it("is namespaces when everything needed is there", () => {
    expect(bestTier({ primitives: all })).toBe("namespaces");
  });

  it("does not mind a lack of something useful", () => {
    const lacking = one("control groups", { level: "useful", present: false });
    expect(bestTier({ primitives: [...all, lacking] })).toBe("namespaces");
  });

  it.each(NEEDED)("is none when %s is missing, or was never asked for", (name) => {
    const missing = all.map((each) => (each.name === name ? { ...each, present: false } : each));
    expect(bestTier({ primitives: missing })).toBe("none");
    expect(bestTier({ primitives: all.filter((each) => each.name !== name) })).toBe("none");
  });

  it("is none when something else that is needed is missing", () => {
    expect(bestTier({ primitives: [...all, one("Linux", { present: false })] })).toBe("none");
    expect(bestTier({ primitives: [] })).toBe("none");
  });
});

describe("isolationWithout", () => {
  it("answers for everything that rests on bubblewrap", () => {
    const names = isolationWithout("bubblewrap").map(({ name }) => name);
    expect(["bubblewrap", ...names]).toEqual([...NEEDED]);
  });
});
