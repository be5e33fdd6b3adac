import path from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = path.resolve(import.meta.dirname, "../../../../workers/r-console.mjs");
const { RConsole } = await import(SOURCE);

/** A console whose R waits for a batch, after a signal came. `behind`: counts messages as R forgets that. */
function begun(behind: number): { readonly isPending: boolean } {
  const count = new Int32Array(new SharedArrayBuffer(4));
  const state = { isPending: true };
  const gate = { send: () => {} };
  const next = () => {
    count[0] = (count[0] ?? 0) + 1;
    return { type: "input_batch", input: "1" };
  };
  const console = new RConsole(gate, next, count, () => {});
  console.attach({
    isStatic: () => true,
    store: () => {},
    isPending: () => state.isPending,
    setPending: (value: number) => {
      state.isPending = value !== 0;
      if (value === 0) Atomics.add(count, 0, behind);
    },
  });
  console.callbacks.read("> ", {}, 100);
  return state;
}

describe("an interrupt of R whose signal came before its batch was begun", () => {
  it("stands where its word comes behind the batch", () => {
    expect(begun(1).isPending).toBe(true);
  });

  it("is over where its word came before it", () => {
    expect(begun(0).isPending).toBe(false);
  });
});
