import { describe, expect, it } from "vitest";
import { startNode } from "./support/start-node.ts";
import { startPython } from "./support/start-python.ts";

describe("a picture that fits into no message", () => {
  it("is not sent by Python, which says so and goes on", async () => {
    const python = await startPython();
    const big = "class P:\n  def _repr_png_(self): return bytes((20 << 20) + 1)\nP()";
    const { images, stderr } = await python.run(big);
    expect([images, stderr]).toEqual([
      [],
      "[a picture of 20971521 bytes is not shown: too large]\n",
    ]);
    expect((await python.run("1+1")).text).toBe("2\n");
  });

  it("is not sent by Node, which shows the value as any other", async () => {
    const node = await startNode();
    const big = "({ _repr_png_() { return Buffer.alloc((20 << 20) + 1) } })";
    const { images, text } = await node.run(big);
    expect([images, text]).toEqual([[], "{ _repr_png_: [Function: _repr_png_] }\n"]);
  });
});

describe("a line of input for Python", () => {
  it("ends where the line does, whatever else is in it", async () => {
    const python = await startPython();
    await python.run("[input(), input()]");
    const { text } = await python.run("a\u2028b\fc\u0085d\ne");
    expect(text).toBe("['a\\u2028b\\x0cc\\x85d', 'e']\n");
  });
});

describe("a prompt that fits into no message", () => {
  it.each([
    ["Python", startPython, "input('x' * (40 << 20))"],
    ["Node", startNode, "prompt('x'.repeat(40 << 20))"],
  ])("is cut by %s, and its answer arrives", async (_, start, cell) => {
    const worker = await start();
    expect((await worker.run(cell)).end).toEqual({
      type: "input_wait",
      prompt: "x".repeat(16_384),
    });
    expect((await worker.run("yes")).text).toBe("'yes'\n");
  });
});
