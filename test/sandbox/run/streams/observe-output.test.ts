import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { observeOutput } from "../../../../src/sandbox/run/streams/observe-output.ts";

describe("observeOutput", () => {
  it("shows and passes on every byte", async () => {
    const seen: string[] = [];
    const passed = observeOutput(Readable.from([Buffer.from("a"), Buffer.from("b")]), (chunk) => {
      seen.push(String(chunk));
      return true;
    });
    expect(await text(passed)).toBe("ab");
    expect(seen).toEqual(["a", "b"]);
  });

  it("leaves out what is said no to", async () => {
    const source = Readable.from(["a", "b", "c"].map((one) => Buffer.from(one)));
    const passed = observeOutput(source, (chunk) => String(chunk) === "a");
    expect(await text(passed)).toBe("a");
  });

  it("takes a failure for the end, and loses nothing before it", async () => {
    const source = new Readable({ read() {} });
    const passed = observeOutput(source, () => true);
    source.push("last");
    setImmediate(() => source.destroy(new Error("gone")));
    expect(await text(passed)).toBe("last");
  });

  it("tells whoever prints that the reader has left", async () => {
    const source = new Readable({ read() {} });
    observeOutput(source, () => true).destroy();
    await new Promise((resolve) => source.once("close", resolve));
    expect(source.destroyed).toBe(true);
  });
});
