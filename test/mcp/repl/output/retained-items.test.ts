import { setImmediate as soon } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import vm from "node:vm";
import { describe, expect, it } from "vitest";
import { RetainedItems } from "../../../../src/mcp/repl/output/retained-items.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = vm.runInNewContext("gc");

describe("RetainedItems", () => {
  it("does not hold what it has dropped", async () => {
    const retained = new RetainedItems({ headChars: 0, tailChars: 0, imageBytes: 10 });
    const dropped = push(retained);
    push(retained);
    push(retained);
    // Whoever makes a reference holds what it is to until then.
    await soon();
    collect();
    expect(dropped.deref()).toBeUndefined();
    expect(retained.items()).toMatchObject([{ kind: "gap", images: 3 }]);
  });
});

/** In a function of its own, so that nothing else holds it. */
function push(retained: RetainedItems): WeakRef<Uint8Array> {
  const data = new Uint8Array(8);
  retained.push({ kind: "image", plot: 1, mimeType: "image/png", data });
  return new WeakRef(data);
}
