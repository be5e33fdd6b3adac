import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { copyImpatient, startNode, startPipedNode } from "./support/start-node.ts";

const ready = { type: "ready" };
/** What immediates may do, and how they are made. */
const IMMEDIATES =
  "var ran = 0, count = () => { ran += 1 }, loop = () => { console.log('S'); for (;;); }, soon = (one) => setImmediate(one)";
const FOREVER = "await new Promise(() => {})";
const waits = (prompt: string) => ({ type: "input_wait", prompt });

describe("an interrupt of a Node session", () => {
  it.each([
    "console.log('S'); for (;;);",
    "console.log('S'); await new Promise(() => {})",
    "await 1; console.log('S'); for (;;);",
    "for (;;) console.log('S')",
    "setTimeout(() => { console.log('S'); for (;;); }); await new Promise(() => {})",
    "setImmediate(() => { console.log('S'); for (;;); }); await new Promise(() => {})",
  ])("ends %s", async (cell) => {
    const node = await startNode();
    node.send({ type: "input_batch", input: cell });
    await node.sees("S\n");
    node.interrupt();
    const { stderr, end } = await node.reply();
    expect({ stderr, end }).toEqual({ stderr: "Interrupted\n", end: ready });
    expect(await node.run("1+1")).toMatchObject({ text: "2\n", end: ready });
  });

  it.each([
    ["first", "[loop, count, count]"],
    ["second", "[count, loop, count]"],
  ])("ends the immediate that is %s, and none of the others", async (_, immediates) => {
    const node = await startNode();
    await node.run(IMMEDIATES);
    node.send({ type: "input_batch", input: `${immediates}.forEach(soon); ${FOREVER}` });
    await node.sees("S\n");
    node.interrupt();
    expect(await node.reply()).toMatchObject({ stderr: "Interrupted\n", end: ready });
    expect(await node.run("ran")).toMatchObject({ text: "2\n", end: ready });
  });

  it("is told once where it ends how a value is shown, and knows where the next one comes", async () => {
    const node = await startNode();
    await node.run(IMMEDIATES);
    const shown = "({ [util.inspect.custom]: loop })";
    for (const input of [shown, `[count, loop].forEach(soon); ${FOREVER}`]) {
      node.send({ type: "input_batch", input });
      await node.sees("S\n");
      node.interrupt();
      expect(await node.reply()).toMatchObject({ stderr: "Interrupted\n", end: ready });
    }
    expect(await node.run("ran")).toMatchObject({ text: "1\n", end: ready });
  });

  it("ends the first cell that it came with, once the session has been idle", async () => {
    for (let round = 0; round < 10; round++) {
      const node = await startPipedNode();
      // Both threads are there by then.
      await new Promise((resolve) => setTimeout(resolve, 400));
      node.send({ type: "input_batch", input: "for (;;);" }, { type: "interrupt" });
      expect(await node.reply()).toMatchObject({ stderr: "Interrupted\n", end: ready });
      expect(await node.run("1+1")).toMatchObject({ text: "2\n", end: ready });
    }
  });

  it("ends nothing of the worker itself, wherever that is when it comes", async () => {
    const script = await copyImpatient(temporaryFolder());
    for (let round = 0; round < 10; round++) {
      const node = await startPipedNode(script);
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (const input of ["for (;;);", "1", "await 1; for (;;);", "({ a: 1 })"]) {
        node.send({ type: "input_batch", input }, { type: "interrupt" });
        expect((await node.reply()).end).toEqual(ready);
        expect(await node.run("1+1")).toMatchObject({ text: "2\n", end: ready });
      }
    }
  });

  it("leaves the question it meets", async () => {
    const node = await startNode();
    expect((await node.run("prompt('name? ')")).end).toEqual(waits("name? "));
    node.interrupt();
    expect((await node.reply()).end).toEqual(ready);
    expect((await node.run("'cell'")).text).toBe("'cell'\n");
  });

  it("between cells hurts no cell", async () => {
    const node = await startNode();
    for (let round = 0; round < 50; round++) {
      node.interrupt();
      expect((await node.run("'A'")).text).toBe("'A'\n");
    }
  });

  it("of a promise nobody can settle survives the collection of it", async () => {
    const node = await startNode();
    for (let round = 0; round < 5; round++) {
      node.send({ type: "input_batch", input: "console.log('S'); await new Promise(() => {})" });
      await node.sees("S\n");
      node.interrupt();
      await node.reply();
    }
    const collect = "v8.setFlagsFromString('--expose-gc'); vm.runInNewContext('gc')(); 'alive'";
    expect((await node.run(collect)).text).toBe("'alive'\n");
    expect((await node.run("1")).text).toBe("1\n");
  });
});

describe("a Node cell that asks", () => {
  it("is answered by the next batch", async () => {
    const node = await startNode();
    await node.run("const name = prompt('name? '); const next = prompt('next? '); [name, next]");
    const { text, inputLines } = await node.run("Ada\nB\nleft over");
    expect(text).toBe("[ 'Ada', 'B' ]\n");
    expect(inputLines.map((line) => line.prompt + line.text)).toEqual(["name? Ada\n", "next? B\n"]);
    expect((await node.run("prompt('again? ')")).end).toEqual(waits("again? "));
  });

  it("is the only one that does: what it left behind gets no line, and takes none from the next", async () => {
    const node = await startNode();
    const left = "setTimeout(() => console.log('got', prompt('q? ')), 50); 1";
    expect(await node.run(left)).toMatchObject({ text: "1\n", end: ready });
    await node.sees("got null\n");
    expect(await node.run("1+1")).toMatchObject({ text: "got null\n2\n", end: ready });
    const cell =
      "console.log('S'); await new Promise((go) => setTimeout(go, 400)); console.log('got', prompt('q? '))";
    node.send({ type: "input_batch", input: cell });
    await node.sees("S\n");
    node.interrupt();
    expect((await node.reply()).end).toEqual(ready);
    await node.sees("got null\n");
    expect(await node.run("2+2")).toMatchObject({ text: "got null\n4\n", end: ready });
  });

  it("may use readline", async () => {
    const node = await startNode();
    const cell =
      "const rl = readline.promises.createInterface({ input: process.stdin, output: process.stdout }); const answer = await rl.question('q? '); rl.close(); answer";
    expect(await node.run(cell)).toMatchObject({ text: "q? ", end: waits("") });
    expect((await node.run("yes")).text).toBe("'yes'\n");
    expect((await node.run("1+1")).text).toBe("2\n");
  });
});

describe("the end of a Node session", () => {
  it("is said with its status, after what exit listeners print", async () => {
    const node = await startNode();
    const reply = await node.run("process.on('exit', () => console.log('bye')); process.exit(7)");
    expect(reply.text).toBe("bye\n");
    expect(reply.end).toEqual({ type: "session_end", reason: "runtime_exit", message: "exit 7" });
    expect((await node.exited).code).toBe(7);
  });

  it("by a signal loses no line before it", async () => {
    const node = await startNode();
    const reply = await node.run(
      "console.log('one'); console.log('two'); process.kill(process.pid, 9)",
    );
    expect(reply).toMatchObject({ text: "one\ntwo\n", end: { type: "lost" } });
  });

  it("comes at once when nobody is there to read it, busy or not", async () => {
    for (const cell of ["console.log('S')", "console.log('S'); for (;;);"]) {
      const node = await startNode();
      node.send({ type: "input_batch", input: cell });
      await node.sees("S\n");
      node.closeInput();
      await node.exited;
    }
  });

  it("may be asked for, idle or busy", async () => {
    const idle = await startNode();
    idle.send({ type: "shutdown" });
    expect((await idle.reply()).end).toMatchObject({ reason: "shutdown", message: "exit 0" });
    const busy = await startNode();
    busy.send({ type: "input_batch", input: "console.log('S'); for (;;);" });
    await busy.sees("S\n");
    busy.send({ type: "shutdown" });
    expect((await busy.exited).signal).toBe("SIGTERM");
  });
});
