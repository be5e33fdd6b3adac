/** Cases 107 to 121: output that is too long, in files and in pages. */
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openRepl, replIn } from "./support/open-repl.ts";

const FILES = ["--language", "python", "--oversized-output", "files"];
const LINES = "for i in range(80): print(f'L{i:04}', 'x' * 119)";

/** The transcript that a reply names. */
function transcriptIn(text: string): string {
  const [file = ""] = /\/\S*transcript\.txt/.exec(text) ?? [];
  expect(file).not.toBe("");
  return file;
}

describe("long output in files", () => {
  const python = replIn("python");

  it("107: is shown whole while it fits", async () => {
    expect((await python.call("print('x' * 3700)")).text).toBe(`${"x".repeat(3700)}\n`);
  });

  it("108, 109: shows its head and tail, and names the file that has all of it", async () => {
    const { text } = await python.call(LINES);
    expect(text).toMatch(/^L0000 /);
    expect(text).toMatch(/shown lines 1-\d+ and \d+-80 of 80 total; full output: \//);
    expect(text).toMatch(/L0079 x+\n$/);
    expect(text.length).toBeLessThan(4375);
    const file = transcriptIn(text);
    const lines = readFileSync(file, "utf8").match(/^L\d{4} x{119}$/gm);
    expect(lines).toHaveLength(80);
    expect(readdirSync(path.dirname(file))).toEqual(["transcript.txt"]);
  });

  it("110: counts characters where there are no lines to count", async () => {
    const { text } = await python.call("print('x' * 6000)");
    expect(text).toMatch(/shown chars/);
    expect(text.length).toBeLessThan(4375);
  });

  it("112: what was printed before time was over is in the file, and nothing of ours is", async () => {
    await python.client.until(
      "early",
      `import os, time\nprint('early')\nwhile not os.path.exists('go112'): time.sleep(0.01)\n${LINES}`,
    );
    await python.client.place.sh("touch go112");
    const text = await python.client.until("transcript.txt", "");
    const kept = readFileSync(transcriptIn(text), "utf8");
    expect(kept).toMatch(/^early\nL0000 /);
    expect(kept).not.toContain("<<repl status");
  });

  it("121: a command of the pager is code", async () => {
    await python.call(LINES);
    expect((await python.call(":q")).text).toContain("SyntaxError");
  });
});

describe("long output of R in files", () => {
  const r = replIn("r", { restarts: false });

  it("111: input that shows nothing is in the file, and not in the reply", async () => {
    const input = Array.from({ length: 2000 }, (_, n) => `x${n} <- ${n}`).join("\n");
    const { text } = await r.call(input);
    expect(text).toMatch(/^> \n\.\.\.\[full output: \//);
    expect(text).not.toContain("x1000 <- 1000");
    expect(readFileSync(transcriptIn(text), "utf8")).toContain("x1000 <- 1000");
  });
});

describe("the files of long output", () => {
  it("113: the oldest goes when there are too many", async () => {
    const env = { MCP_REPL_OUTPUT_BUNDLE_MAX_COUNT: "2" };
    const client = await openRepl({ flags: FILES, env });
    const files: string[] = [];
    for (const _ of [1, 2, 3]) files.push(transcriptIn((await client.call(LINES)).text));
    expect(files.map((file) => existsSync(file))).toEqual([false, true, true]);
  });

  it("114: one that is full keeps its head, and the reply says so", async () => {
    const env = { MCP_REPL_OUTPUT_BUNDLE_MAX_BYTES: "2048" };
    const client = await openRepl({ flags: FILES, env });
    const { text } = await client.call(LINES);
    expect(text).toContain("later content omitted");
    const kept = readFileSync(transcriptIn(text));
    expect(kept.length).toBeLessThanOrEqual(2048);
    expect(kept.toString()).toMatch(/^L0000 /);
  });

  it("115: where none can be made the reply says so, and is one", async () => {
    const client = await openRepl({ flags: FILES, user: "ordinary" });
    await client.call("1");
    const folder = path.dirname(path.dirname(await aFileOf(client)));
    chmodSync(folder, 0o500);
    const { text, isError } = await client.call(LINES);
    expect(text).toContain("unavailable");
    expect(isError).toBe(false);
    chmodSync(folder, 0o700);
  });

  it("116: they are gone with their server", async () => {
    const client = await openRepl({ flags: FILES });
    const file = await aFileOf(client);
    expect(existsSync(file)).toBe(true);
    await client.end();
    expect(existsSync(path.dirname(path.dirname(file)))).toBe(false);
  });

  it("no code of a session can write to them", async () => {
    const client = await openRepl({ flags: FILES });
    const file = await aFileOf(client);
    const { text } = await client.call(`open(${JSON.stringify(file)}, "w")`);
    expect(text).toMatch(/Read-only file system|Permission denied/);
    expect(readFileSync(file, "utf8")).toMatch(/^L0000/);
  });
});

async function aFileOf(client: Awaited<ReturnType<typeof openRepl>>): Promise<string> {
  return transcriptIn((await client.call(LINES)).text);
}

describe("long output in pages", () => {
  const pages = replIn("python", {
    flags: ["--oversized-output", "pager"],
    env: { MCP_REPL_PAGER_PAGE_CHARS: "80" },
  });
  const SHORT = "for i in range(80): print(f'L{i:04}')";
  const FOOTER = /--More-- \(\d+p, [\d.]+%, @\d+\.\.\d+\/480\)/;

  it("117, 118: comes page by page, can be searched, and is left", async () => {
    const { text } = await pages.call(SHORT);
    expect(text).toMatch(/^L0000\n[\s\S]*L0012\n/);
    expect(text).not.toContain("L0013");
    expect(text).toMatch(/--More-- \(\d+p, 16\.[23]%, @0\.\.78\/480\)/);
    expect((await pages.call(":next")).text).toMatch(/^L0013\n[\s\S]*--More--/);
    expect((await pages.call(":/L0031")).text).toContain("L0031");
    expect((await pages.call(":q")).text).toMatch(/\(END, /);
    expect((await pages.call("1+1")).text).toBe("2\n");
  });

  it("119: is left by code, which runs", async () => {
    expect((await pages.call(SHORT)).text).toMatch(FOOTER);
    expect((await pages.call("1+1")).text).toBe("2\n");
    expect((await pages.call(":next")).text).toContain("SyntaxError");
  });

  it("120: is left by a restart", async () => {
    await pages.call(SHORT);
    expect((await pages.call("\u0004")).text).toContain("[repl] new session started");
    expect((await pages.call("")).text).toBe("<<repl status: idle>>");
  });
});
