import { describe, expect, it } from "vitest";
import { startNode } from "./support/start-node.ts";

/** Runs cells in a session of their own and returns what each printed; none may end it. */
async function texts(...cells: readonly string[]): Promise<string[]> {
  const node = await startNode();
  const replies: string[] = [];
  for (const cell of cells) {
    const { text, end } = await node.run(cell);
    expect(end).toEqual({ type: "ready" });
    replies.push(text);
  }
  return replies;
}

const UNSHOWN = "{ [Symbol.for('nodejs.util.inspect.custom')]() { throw new Error('boom') } }";

describe("a value of a Node cell", () => {
  it("that cannot be shown is an error, and not nothing", async () => {
    const [value, thrown, later, after] = await texts(
      `(${UNSHOWN})`,
      `throw ${UNSHOWN}`,
      `setTimeout(() => { throw ${UNSHOWN} }); await new Promise((go) => setTimeout(go, 20)); 1`,
      "2",
    );
    expect(value).toMatch(/^Uncaught Error: boom\n/);
    expect(thrown).toMatch(/^Uncaught \{/);
    expect(later).toMatch(/^Uncaught \{[\s\S]*1\n$/);
    expect(after).toBe("2\n");
  });

  it("is shown whatever happens when it is asked for a picture", async () => {
    const [proxy, getter] = await texts(
      "new Proxy({}, { get() { throw new Error('trapped') } })",
      "({ get toPNG() { throw new Error('no picture') } })",
    );
    expect(proxy).toMatch(/^Proxy \[/);
    expect(getter).toMatch(/^Uncaught Error: no picture\n[\s\S]*\{ toPNG: \[Getter\] \}\n$/);
  });
});

describe("a Node session", () => {
  it("does not use the names that a cell takes", async () => {
    const [, , value, thrown, bytes] = await texts(
      "const { stdout } = process",
      "const process = 1, Buffer = 2, performance = 3, setImmediate = 4",
      "1 + 1",
      "throw 5",
      "stdout.write(new Uint8Array([65, 10]))",
    );
    expect([value, thrown, bytes]).toEqual(["2\n", "Uncaught 5\n", "A\ntrue\n"]);
  });

  it("does not use what a cell puts into a module of Node", async () => {
    const meddle = "util.inspect = () => 'mine'; url.pathToFileURL = fs.writeSync = undefined";
    expect(await texts(meddle, "({ a: 1 })")).toEqual(["", "{ a: 1 }\n"]);
  });

  it("has no main module, and has loaded none", async () => {
    const look = "[process.mainModule, require.main, Object.keys(require.cache).length]";
    expect(await texts(look)).toEqual(["[ undefined, undefined, 0 ]\n"]);
  });

  it("goes on where the clock is a mock", async () => {
    const mock = "require('node:test').mock.timers.enable()";
    expect(await texts(mock, "1 + 1")).toEqual(["", "2\n"]);
  });

  it("ends a cell that it cannot even look at", async () => {
    const [, failed, after] = await texts(
      "const { map } = Array.prototype; Array.prototype.map = undefined",
      "import('node:fs')",
      "Array.prototype.map = map; 1 + 1",
    );
    expect(failed).toMatch(/^Uncaught TypeError: /);
    expect(after).toBe("2\n");
  });

  it.each([
    "Array.prototype.map = undefined",
    "Array.prototype[Symbol.iterator] = undefined",
    "JSON.stringify = () => 'mine'",
    "Object.prototype.toJSON = () => 'mine'",
    "Buffer.prototype.toString = Buffer.from = Buffer.alloc = undefined",
    "Function.prototype.call = Function.prototype.apply = Reflect.apply = undefined",
    "Atomics.store = Atomics.load = Atomics.notify = undefined",
    "fs.writeSync = fs.readSync = undefined",
  ])("reports the end of a first cell that breaks what the worker needs: %s", async (cell) => {
    const node = await startNode();
    const { end, text } = await node.run(`${cell}; undefined`);
    expect({ end, text }).toEqual({ end: { type: "ready" }, text: "" });
  });

  it("forwards what children of its first cell print, however much", async () => {
    const node = await startNode();
    const run = "child_process.execSync('seq 1 100000', { stdio: 'inherit' }); console.log('end')";
    const { stdout } = await node.run(`${run}; undefined`);
    expect(stdout.split("\n").length).toBe(100_002);
    expect(stdout.endsWith("100000\nend\n")).toBe(true);
  });

  it("has an output that a pipeline can end in, more than once", async () => {
    const pipeline =
      "await stream.promises.pipeline(stream.Readable.from(['a', 'b\\n']), process.stdout)";
    const end = "await new Promise((done) => process.stdout.end('c\\n', done))";
    expect(await texts(pipeline, pipeline, end)).toEqual(["ab\n", "ab\n", "c\n"]);
  });

  it("asks in a later cell for who began to read in an earlier one", async () => {
    const node = await startNode();
    const open = "rl = readline.createInterface({ input: process.stdin }); 0";
    const ask = "await new Promise((answer) => rl.question('', answer))";
    for (const name of ["Ada", "Bob"]) {
      expect((await node.run(open)).end).toEqual({ type: "ready" });
      expect((await node.run(ask)).end).toEqual({ type: "input_wait", prompt: "" });
      expect((await node.run(name)).text).toBe(`'${name}'\n`);
      expect((await node.run("rl.close()")).end).toEqual({ type: "ready" });
    }
  });

  it("keeps the text of templates within templates", async () => {
    const [inner, code, , after] = await texts(
      `\`\${['a'].map((name) => \`const \${name} = \${\`import x from 'y'\`}\`)}\``,
      `\`\${(await import('node:path')).sep} \\\${ $ {\``,
      "const late = `}`",
      "const late = 1; late",
    );
    expect(inner).toBe(`"const a = import x from 'y'"\n`);
    expect(code).toBe(`'/ \${ $ {'\n`);
    expect(after).toBe("1\n");
  });

  it("loads nothing for an import of types", async () => {
    const [first, second, own] = await texts(
      "import type { Absent } from './absent.js'\nimport type Other from './absent.js'; typeof type",
      "import type * as all from './absent.js'; 1 + 1",
      "import type from 'node:path'; type.sep",
    );
    expect([first, second, own]).toEqual(["'undefined'\n", "2\n", "'/'\n"]);
  });
});
