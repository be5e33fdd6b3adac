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

/** What R gets at a prompt that it came to with an interrupt; `looks`: how often it is looked for until its signal is there. */
function handed(prompt: string, looks: number): unknown {
  const messages = [{ type: "interrupt" }, { type: "input_batch", input: "late" }];
  const given: string[] = [];
  let looked = 0;
  const console = new RConsole(
    { send: ({ type }: { readonly type: string }) => given.push(type) },
    () => messages.shift(),
    new Int32Array(new SharedArrayBuffer(4)).fill(1),
    () => {},
  );
  console.attach({
    boundStack: () => {},
    isStatic: () => given.length > 0 && prompt === "name: ",
    option: () => "+ ",
    store: (_: unknown, bytes: Buffer) => given.push(bytes.toString("latin1")),
    isPending: () => {
      looked += 1;
      return looked > looks;
    },
    setPending: () => {},
  });
  console.callbacks.read("> ", {}, 100);
  given.push(console.callbacks.read(prompt, {}, 100));
  return given.slice(1);
}

describe("an interrupt that R was told of before it came to a prompt", () => {
  it("leaves what it asks, also where its signal comes a little later", () => {
    for (const looks of [0, 3]) expect(handed("name: ", looks)).toEqual(["\n\0", 1]);
  });

  it("leaves an expression that is not finished", () => {
    expect(handed("+ ", 0)).toEqual([0]);
  });

  it("leaves nothing where R has acted on it", () => {
    expect(handed("name: ", 1000)).toEqual(["input_wait", "input_line", "late\n\0", 1]);
  });
});
