/** Intents that come again: the same value, and never that of another. */
import { describe, expect, it } from "vitest";
import { SeenIntents } from "../../../src/exec/server/files/seen-intents.ts";

const CONTEXT = {
  permissions: {
    type: "managed",
    file_system: {
      type: "restricted",
      entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }],
    },
    network: "restricted",
  },
  windowsSandboxLevel: "disabled",
};

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const inRoot = (name: string) => ({ ...CONTEXT, cwd: `file:///${name}` });

describe("an intent that came before", () => {
  it("is the same value, whoever sends it", () => {
    const intents = new SeenIntents();
    expect(intents.of(copyOf(CONTEXT))).toBe(intents.of(copyOf(CONTEXT)));
    expect(intents.of(null)).toBe(intents.of(undefined));
  });

  it("is another value where one member differs", () => {
    const intents = new SeenIntents();
    const first = intents.of(inRoot("a"));
    expect(intents.of(inRoot("b"))).not.toBe(first);
    expect(intents.of(inRoot("b"))).toMatchObject({ context: { cwd: "file:///b" } });
    expect(intents.of(null)).toMatchObject({ kind: "waived" });
    expect(intents.of(inRoot("a"))).toMatchObject({ context: { cwd: "file:///a" } });
  });

  it("is refused each time where it was refused", () => {
    const intents = new SeenIntents();
    const bad = { ...CONTEXT, denyAll: true };
    for (let time = 0; time < 3; time += 1) expect(() => intents.of(bad)).toThrow("denyAll");
  });

  it("does not stand for a number that JSON writes as null", () => {
    const intents = new SeenIntents();
    const sent = (cwd: string) => JSON.parse(`{"policyContext":${cwd}}`);
    expect(intents.of({ ...CONTEXT, ...sent("null") }).kind).toBe("enforce");
    expect(() => intents.of({ ...CONTEXT, ...sent("1e400") })).toThrow("policyContext");
  });

  it("is forgotten when many came since, or when it is long", () => {
    const intents = new SeenIntents();
    const first = intents.of(inRoot("first"));
    for (let count = 0; count < 64; count += 1) intents.of(inRoot(`r${count}`));
    expect(intents.of(inRoot("first"))).not.toBe(first);
    const workspaceRoots = Array.from(
      { length: 400 },
      (_, at) => `file:///${"r".repeat(100)}${at}`,
    );
    const long = { ...CONTEXT, workspaceRoots };
    expect(intents.of(long)).not.toBe(intents.of(long));
  });
});
