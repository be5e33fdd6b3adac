/** A worker that was written for mcp-repl, started by its spec. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chosenWorkers } from "../../../src/cli/repl/chosen-workers.ts";
import { outputOf, readOutputOptions } from "../../../src/cli/repl/output-options.ts";
import { sandboxPlan } from "../../../src/cli/repl/sandbox-plan.ts";
import { workerPolicy } from "../../../src/cli/repl/worker-policy.ts";
import { openLocalMachine } from "../../../src/exec/index.ts";
import { ReplSession } from "../../../src/mcp/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Knows nothing of writ: takes its descriptors from its environment, and answers with facts. */
const WORKER = `
import fs from "node:fs";
const read = Number(process.env.MCP_REPL_IPC_READ_FD);
const write = Number(process.env.MCP_REPL_IPC_WRITE_FD);
const say = (message) => fs.writeSync(write, JSON.stringify(message) + "\\n");
const print = (text) =>
  say({ type: "output_text", stream: "stdout", data_b64: Buffer.from(text).toString("base64") });
say({
  type: "worker_ready",
  protocol: { name: "mcp-repl-worker", version: 6 },
  worker: { name: "zod", version: "0.1" },
  capabilities: { images: false },
});
say({ type: "ready" });
let held = "";
const input = fs.createReadStream("", { fd: read, encoding: "utf8" });
input.on("end", () => process.exit(0));
input.on("data", (text) => {
  const lines = (held + text).split("\\n");
  held = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
function take({ type, input }) {
  if (type === "shutdown") process.exit(0);
  if (type !== "input_batch") return;
  if (input === "quit") {
    say({ type: "session_end", reason: "runtime_exit", message: "exit 4" });
    process.exit(4);
  }
  console.log("stray");
  print([input, process.argv.slice(2).join(), process.env.NAME, process.cwd()].join(" ") + "\\n");
  say({ type: "ready" });
}
`;

const quiet = { out: () => {}, err: () => {}, hostname: "h", platform: "linux" };

function world(spec: unknown) {
  const folder = temporaryFolder({ "w.json": JSON.stringify(spec), "worker.mjs": WORKER });
  mkdirSync(path.join(folder, "own"));
  return { ...quiet, env: {}, cwd: folder, home: folder };
}

function chosen(spec: unknown) {
  return chosenWorkers({ "worker-spec": "w.json" }, world(spec));
}

describe("--worker-spec", () => {
  it("runs a worker of mcp-repl as it is", async () => {
    const place = world({});
    const spec = {
      executable: process.execPath,
      args: [path.join(place.cwd, "worker.mjs"), "--flag"],
      working_dir: { path: path.join(place.cwd, "own") },
      env: { NAME: "value" },
      stdin: "pipe",
      sandbox: "server",
    };
    writeFileSync(path.join(place.cwd, "w.json"), JSON.stringify(spec));
    const { argv, env } = chosenWorkers({ "worker-spec": "w.json" }, place).get("custom") ?? {};
    const home = path.join(place.cwd, "home");
    const machine = openLocalMachine({ home, ceilings: [], waivers: "allowed" });
    const output = outputOf(readOutputOptions({ "oversized-output": "files" }, place), home);
    const session = new ReplSession({
      ...{ machine, output },
      command: { argv: argv ?? [], env: env ?? {}, envPolicy: null, terminal: null },
      ...workerPolicy(sandboxPlan([{ name: "sandbox", value: "danger-full-access" }]), place.cwd),
      graceMs: 500,
    });
    onTestFinished(async () => {
      await session.close();
      await machine.executor.close();
    });
    const run = async (input: string) => {
      const { signal } = new AbortController();
      const request = { input, timeoutMs: undefined, context: { mcpReq: {} }, signal };
      const { content, facts } = await session.serve(request);
      const texts = content.map((item) => (item.type === "text" ? item.text : item.type));
      return { text: texts.join(""), ...facts };
    };
    const own = realpathSync(path.join(place.cwd, "own"));
    const first = await run("one");
    expect(first).toMatchObject({ status: "idle" });
    expect(first.text).toContain(`one --flag value ${own}\n`);
    const ended = await run("quit");
    expect(ended).toMatchObject({ status: "ended", end: "exit 4" });
    // What its standard output got is no part of the protocol, and is not lost.
    expect(first.text + ended.text).toContain("stray\n");
    expect((await run("two")).text).toContain("two --flag");
  });

  it.each([
    ["a terminal", { executable: "x", stdin: "pty" }, /asks for stdin "pty", expected "pipe"/],
    ["a relative folder", { executable: "x", working_dir: { path: "a" } }, /"a" is relative/],
    ["no program", { args: [] }, /executable/],
    ["an empty one", { executable: "" }, /executable/],
    ["a field that is not there", { executable: "x", shell: true }, /shell/],
    ["another sandbox", { executable: "x", sandbox: "none" }, /sandbox/],
    ["a list", [], /object/],
  ])("refuses a spec with %s", (_, spec, message) => {
    expect(() => chosen(spec)).toThrow(message);
    expect(() => chosen(spec)).toThrow(/^Cannot use --worker-spec "w.json": .+$/);
  });

  it("refuses what is no JSON", () => {
    const place = world({});
    writeFileSync(path.join(place.cwd, "w.json"), "{");
    expect(() => chosenWorkers({ "worker-spec": "w.json" }, place)).toThrow(
      /^Cannot read --worker/,
    );
  });

  it("leaves out what may be left out", () => {
    const start = chosen({ executable: "prog" }).get("custom");
    expect(start?.argv.slice(-2)).toEqual(["worker", "prog"]);
  });
});

describe("chosenWorkers", () => {
  it("takes each language once, in the order in which they were given", () => {
    const flags = { language: [" Node ", "bash", "node"] };
    const env = { PATH: "/usr/bin:/bin" };
    const workers = chosenWorkers(flags, { ...quiet, env, cwd: "/", home: "/" });
    expect([...workers.keys()]).toEqual(["node", "bash"]);
  });

  it("takes mcp-repl's variable where no option says otherwise", () => {
    const env = { PATH: "/usr/bin:/bin", MCP_REPL_INTERPRETER: "Node" };
    const place = { ...quiet, env, cwd: "/", home: "/" };
    expect([...chosenWorkers({}, place).keys()]).toEqual(["node"]);
    expect([...chosenWorkers({ interpreter: "bash" }, place).keys()]).toEqual(["bash"]);
  });
});
