/** The program itself, with the real server behind its door. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { connectTo } from "./support/connect.ts";

const main = bundledProgram(path.resolve(import.meta.dirname, "../../../src/cli/main.ts"), [/^@/]);
const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { clientInfo: { name: "test", title: null, version: "1" } },
};

function start(home: string, ...args: string[]): ChildProcess & { errors: () => string } {
  const env = { ...process.env, WRIT_HOME: home };
  const child = spawn(process.execPath, [main(), "app-server", ...args], { env, cwd: home });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  return Object.assign(child, { errors: () => text });
}

async function addressOf(child: ReturnType<typeof start>): Promise<string> {
  for (;;) {
    const [, found] = /listening on: (\S+)\n/.exec(child.errors()) ?? [];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(child.errors());
    if (child.stderr) await Promise.race([once(child.stderr, "data"), once(child, "exit")]);
  }
}

describe("writ app-server", () => {
  it("writes answers and nothing else on stdio, and ends with its input", async () => {
    const child = start(temporaryFolder());
    const ended = once(child, "exit");
    child.stdin?.end(`${JSON.stringify(INITIALIZE)}\nnonsense\n{"id":2,"method":"fly"}\n`);
    const lines: { id?: number }[] = [];
    if (!child.stdout) throw new Error("there is no output");
    for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line));
    const answers = lines.filter((line) => "id" in line);
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
    expect(await ended).toEqual([0, null]);
    expect(child.errors()).toBe("");
  });

  it.each(["ws://127.0.0.1:0", "unix://"])("serves at %s until SIGTERM", async (listen) => {
    const home = temporaryFolder();
    const child = start(home, "--listen", listen);
    const ended = once(child, "exit");
    const wire = new RawWire(await connectTo(await addressOf(child)));
    expect(await wire.ask({ id: 0, method: "thread/list", params: {} })).toEqual({
      error: { code: -32600, message: "Not initialized" },
      id: 0,
    });
    expect(await wire.ask(INITIALIZE)).toMatchObject({ id: 1, result: { codexHome: home } });
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await wire.closed;
    expect(fs.globSync("**/*.sock", { cwd: home })).toEqual([]);
  });

  it("says what is wrong with what is kept, and leaves it as it is", async () => {
    const home = temporaryFolder();
    const file = path.join(home, "threads.db");
    fs.writeFileSync(file, "not a database".repeat(100));
    const child = start(home, "--listen", "off");
    expect(await once(child, "close")).toEqual([1, null]);
    expect(child.errors()).toMatch(/^writ: Cannot .*threads\.db.*\n$/);
    expect(fs.readFileSync(file, "utf8")).toBe("not a database".repeat(100));
  });
});
