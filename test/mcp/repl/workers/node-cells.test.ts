import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { keepWorker } from "./support/keep-worker.ts";
import { startNode } from "./support/start-node.ts";
import type { WorkerDriver } from "./support/worker-driver.ts";

async function textsOf(node: WorkerDriver, cells: readonly string[]): Promise<string[]> {
  const replies: string[] = [];
  for (const cell of cells) {
    const { text, end } = await node.run(cell);
    expect(end).toEqual({ type: "ready" });
    replies.push(text);
  }
  return replies;
}

const session = keepWorker(startNode);
const texts = async (...cells: string[]) => textsOf(await startNode(), cells);
const keptTexts = async (...cells: string[]) => textsOf(await session(), cells);

describe("a Node cell", () => {
  it("may have a method named import, and is JavaScript as it was written then", async () => {
    const node = await startNode();
    const cell = "class A { import(q) { return q + 1 } }; new A().import(2)";
    expect((await node.run(cell)).text).toBe("3\n");
  });

  it("shows its last value and keeps its names, which may be declared again", async () => {
    const cells = [
      "1+1",
      "const x = 1",
      "const x = 2; x",
      "class A {}",
      "class A { b = 1 }; new A",
    ];
    expect(await keptTexts(...cells, "let x = _; x")).toEqual([
      "2\n",
      "",
      "2\n",
      "",
      "A { b: 1 }\n",
      "A { b: 1 }\n",
    ]);
  });

  it("may await, and show an object without brackets", async () => {
    expect(
      await keptTexts("await Promise.resolve(5)", "{a: 1}", "{ let q = 1; q }", " ", "null"),
    ).toEqual(["5\n", "{ a: 1 }\n", "1\n", "", "null\n"]);
  });

  it("may be TypeScript", async () => {
    expect(
      await keptTexts(
        "interface I { a: number }\nconst i: I = { a: 1 }; i.a",
        "enum E { A, B }\nE.B",
        "const f = <T,>(x: T): T => x; f('t')",
        "import type { Stats } from 'node:fs'\nimport { sep, type ParsedPath } from 'node:path'\nsep",
      ),
    ).toEqual(["1\n", "1\n", "'t'\n", "'/'\n"]);
  });

  it("imports as a module in its folder does", async () => {
    const folder = temporaryFolder({
      "mine.mjs": "export default 1; export const two = 2;",
      "old.cjs": "module.exports = 3;",
      "facts.json": '{"four": 4}',
    });
    const cells = [
      "import one, { two as zwei } from './mine.mjs'\n[one, zwei]",
      "import * as all from './mine.mjs'; all.two",
      "import facts from './facts.json' with { type: 'json' }\nfacts.four",
      "(await import('./mine.mjs')).default",
      "require('./old.cjs')",
      "import.meta.dirname === process.cwd()",
      "path.join('a', 'b')",
    ];
    expect(await textsOf(await startNode({ cwd: folder }), cells)).toEqual([
      "[ 1, 2 ]\n",
      "2\n",
      "4\n",
      "1\n",
      "3\n",
      "true\n",
      "'a/b'\n",
    ]);
  });

  it("keeps imports in strings, templates, comments and patterns as they are", async () => {
    const kept = ["'import(1)'", "`import x from 'y'`", "/import('z')/", "// import('a')"];
    const [shown] = await keptTexts(`[${kept.slice(0, 3).join(", ")}] ${kept[3]}`);
    expect(shown).toBe(`[ 'import(1)', "import x from 'y'", /import('z')/ ]\n`);
    expect(await keptTexts("for (const x of [{ import: 1, const: 2 }]) x.import")).toEqual(["1\n"]);
  });

  it("that cannot be read runs not at all, and says where", async () => {
    const [, error, after] = await texts("globalThis.a = 1", "a = 2;\nlet = ;", "a");
    expect(error).toBe("<repl>:2\nlet = ;\n      ^\nUncaught SyntaxError: Unexpected token ';'\n");
    expect(after).toBe("1\n");
  });

  it("that throws shows its own frames only", async () => {
    const [error, value, later, parsed] = await texts(
      "function f() { throw new Error('boom') }\nf()",
      "throw 5",
      "await Promise.reject(new TypeError('later'))",
      "globalThis.n = (globalThis.n ?? 0) + 1; JSON.parse('{')",
    );
    expect(error).toBe("Uncaught Error: boom\n    at f (<repl>:1:22)\n    at <repl>:2:1\n");
    expect(value).toBe("Uncaught 5\n");
    expect(later).toMatch(/^Uncaught TypeError: later\n {4}at <repl>/);
    expect(parsed).toMatch(
      /^Uncaught SyntaxError: [^\n]*\n {4}at JSON.parse .*\n {4}at <repl>:1:\d+\n$/,
    );
  });

  it("reports what nobody handles and lives on", async () => {
    const [rejected, thrown] = await texts(
      "Promise.reject(new Error('unhandled')); 7",
      "setTimeout(() => { throw new Error('late') }); await new Promise((r) => setTimeout(r, 20)); 8",
    );
    expect(rejected).toMatch(/^7\nUncaught Error: unhandled\n/);
    expect(thrown).toMatch(/^Uncaught Error: late\n[\s\S]*8\n$/);
  });

  it("sees none of the variables of the worker, and finds no name of it", async () => {
    const node = await startNode({ env: { WRIT_SECRET: "1" } });
    const look =
      "[Object.keys(process.env).filter((n) => /^(MCP_REPL|WRIT)_/.test(n)), Object.keys(globalThis).filter((n) => n.startsWith('writ'))]";
    expect((await node.run(look)).text).toBe("[ [], [] ]\n");
  });

  it("may show a picture", async () => {
    const node = await session();
    const { images, text } = await node.run("({ _repr_png_() { return Buffer.from('me') } })");
    expect(text).toBe("");
    expect(images).toEqual([
      {
        type: "output_image",
        mime_type: "image/png",
        data_b64: Buffer.from("me").toString("base64"),
        is_update: false,
      },
    ]);
  });
});

describe("what a Node cell prints", () => {
  it("keeps the order of the streams and of its children", async () => {
    const node = await startNode();
    const { text, stderr } = await node.run(
      "for (let i = 0; i < 3; i++) { console.log('a'); child_process.execSync('echo b; echo e >&2', { stdio: 'inherit' }); console.error('c') }",
    );
    expect(text).toBe("a\nb\ne\nc\n".repeat(3));
    expect(stderr).toBe("e\nc\n".repeat(3));
    expect(node.raw).toBe("");
  });

  it("may be a flood, also of a child while nothing else runs", async () => {
    const node = await session();
    const { text } = await node.run("for (let i = 0; i < 20000; i++) console.log(i)");
    expect(text).toBe(Array.from({ length: 20_000 }, (_, i) => `${i}\n`).join(""));
    const child = await node.run(
      "child_process.execSync('head -c 300000 /dev/zero', { stdio: 'inherit' }); 1",
    );
    expect(child.text).toBe(`${"\0".repeat(300_000)}1\n`);
  });

  it("reaches no descriptor of the protocol", async () => {
    const node = await session();
    const look =
      "const own = [3, 4].map((n) => fs.readlinkSync('/proc/self/fd/' + n)); const child = child_process.execSync('for f in /proc/self/fd/*; do readlink $f; done; true').toString(); own.filter((one) => child.includes(one))";
    expect((await node.run(look)).text).toBe("[]\n");
  });
});
