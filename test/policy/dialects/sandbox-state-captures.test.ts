import { describe, expect, it } from "vitest";
import { modeOfProfile, readSandboxState, writeSandboxState } from "../../../src/policy/index.ts";
import captures from "../../fixtures/mcp-sandbox-state.json" with { type: "json" };

interface Capture {
  readonly codex: string;
  readonly derivedMode: string | null;
  readonly state: {
    readonly sandboxCwd: string;
    readonly sandboxPolicy?: { readonly type: string };
  };
}

const all = Object.entries<Capture>(captures);
const generations: Readonly<Record<string, string>> = {
  "0.122.0": "G1",
  "0.140.0": "G2",
  "0.149.1": "G3",
  "0.166.0": "G4",
};

describe("captured sandbox states", () => {
  it("are sixty, of four generations", () => {
    expect(all).toHaveLength(60);
    expect(new Set(all.map(([, { codex }]) => codex))).toEqual(new Set(Object.keys(generations)));
  });

  it.each(all)("%s reads, writes back as it came and reads again", (_, { codex, state }) => {
    const read = readSandboxState(state);
    expect(read.generation).toBe(generations[codex]);
    const written = writeSandboxState(read, "refuse");
    expect(written).toEqual(state);
    expect(readSandboxState(JSON.parse(JSON.stringify(written)))).toEqual(read);
  });

  it.each(all)("%s has the mode that the client said", (_, { derivedMode, state }) => {
    const mode = modeOfProfile(readSandboxState(state).profile);
    expect(mode).toBe(derivedMode ?? state.sandboxPolicy?.type);
  });
});
