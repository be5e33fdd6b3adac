/** Tools of MCP servers under the policy of a turn: one server that is confined, one that is trusted to keep to it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpTools } from "../../../src/agent/mcp/create-mcp-tools.ts";
import { openLocalMachine, openReceiptReader } from "../../../src/exec/index.ts";
import { createConfinedServer } from "../../../src/mcp/index.ts";
import {
  parseAbsolutePath,
  profileDigest,
  type SandboxMode,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { frameIn, McpLab } from "../../agent/mcp/support/mcp-lab.ts";

const EXAMPLE = path.resolve(import.meta.dirname, "../../../examples/sandboxed-shell/server.ts");
const PLAIN = `
import { writeFileSync } from "node:fs";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = { name: "write", inputSchema: { type: "object" } };
function answer({ id, method, params }) {
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "plain", version: "1" };
    return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return say({ id, result: { tools: [tool] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "no" } });
  let text = "written";
  try { writeFileSync(params.arguments.path, "by a tool"); } catch (error) { text = error.code; }
  say({ id, result: { content: [{ type: "text", text }] } });
}
let held = "";
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\\n");
  held = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
`;

/** A workspace, what lies beside it, and the servers of one thread. */
function openPlace() {
  // Not below /tmp, which policies that write open.
  const folder = mkdtempSync("/var/tmp/writ-test-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [workspace, outside] = [path.join(folder, "ws"), path.join(folder, "outside")];
  for (const one of [workspace, outside]) mkdirSync(one);
  const server = path.join(outside, "server.mjs");
  writeFileSync(server, PLAIN);
  const machine = openLocalMachine({
    home: path.join(folder, "home"),
    ceilings: [],
    waivers: "allowed",
  });
  const cwd = uriOfNative(workspace);
  const any = { kind: "stdio", command: process.execPath, enabled: true } as const;
  const times = { startupTimeoutMs: 60_000, toolTimeoutMs: 60_000 };
  const tools = createMcpTools({
    servers: new Map([
      ["plain", { ...any, ...times, args: [server], env: {}, sandbox: "confine" }],
      [
        "shell",
        {
          ...any,
          ...times,
          args: [EXAMPLE],
          env: { WRIT_HOME: path.join(folder, "home") },
          sandbox: "inherit",
        },
      ],
    ]),
    executor: machine.executor,
    confine: (_, { command, args, env }) =>
      createConfinedServer({
        executor: machine.executor,
        bounds: { host: machine.host, network: "asSent" },
        argv: [command, ...args],
        cwd,
        env,
        envPolicy: null,
        mode: { kind: "inherit" },
        stderr: () => {},
        graceMs: 1000,
      }),
    client: { name: "writ", version: "0.0.0" },
    cwd,
    env: {},
  });
  const thread = tools.openThread("thread-1");
  onTestFinished(async () => {
    await thread.close();
    await machine.executor.close();
  });
  return { workspace, outside, cwd, tools, thread, home: path.join(folder, "home") };
}

type Place = ReturnType<typeof openPlace>;

/** The item of a call in a turn under `mode`. */
async function called(place: Place, mode: SandboxMode, [name, input]: readonly [string, object]) {
  const { thread, cwd } = place;
  const context = new McpLab({}).context({ ...frameIn(mode), cwd, workspaceRoots: [cwd] });
  await thread.declarations(context);
  const call = { callId: `call_${mode}`, name, input: JSON.stringify(input) };
  const { item } = await thread.run(call, context);
  return item;
}

const WAYS = [
  ["confined", (file: string) => ["mcp__plain__write", { path: file }] as const],
  ["trusted", (file: string) => ["mcp__shell__shell", { line: `echo x > ${file}` }] as const],
] as const;

describe.each(WAYS)("a tool of a %s server", (_, write) => {
  it("N11 writes what the policy of each turn lets it, and nothing else", async () => {
    const place = openPlace();
    const wrote = async (mode: SandboxMode, folder: string) => {
      const file = path.join(folder, mode);
      await called(place, mode, write(file));
      return existsSync(file);
    };
    const { workspace, outside } = place;
    expect({
      readOnly: [await wrote("read-only", workspace), await wrote("read-only", outside)],
      workspace: [
        await wrote("workspace-write", workspace),
        await wrote("workspace-write", outside),
      ],
      // Back again: a server that was wider must not stay so.
      again: await wrote("read-only", workspace),
      full: await wrote("danger-full-access", outside),
      last: [await wrote("read-only", workspace)],
    }).toEqual({
      readOnly: [false, false],
      workspace: [true, false],
      again: false,
      full: true,
      last: [false],
    });
  });

  it("names the receipt of what ran it, which has the policy of the turn", async () => {
    const place = openPlace();
    const store = () => openReceiptReader(parseAbsolutePath(place.home));
    for (const mode of ["read-only", "workspace-write"] as const) {
      const item = await called(place, mode, write(path.join(place.workspace, mode)));
      const id = "receiptId" in item ? (item.receiptId ?? "") : "";
      const receipts = store();
      expect(receipts.get(id)).toMatchObject({
        profileDigest: profileDigest(frameIn(mode).profile),
        enforced: { tier: "namespaces" },
      });
      receipts.close();
    }
  });
});

describe("a call of a client", () => {
  it("N13 is refused by a server that inherits, for it carries no sandbox", async () => {
    const { tools, workspace } = openPlace();
    const file = path.join(workspace, "x");
    const call = { server: "shell", name: "shell", arguments: { line: `echo x > ${file}` } };
    const result = await tools.callForClient("thread-1", call, new AbortController().signal);
    expect(result).toMatchObject({ isError: true });
    expect(existsSync(file)).toBe(false);
  });

  it("N13 is refused by a confined server too, and nothing is written", async () => {
    const { tools, outside } = openPlace();
    const file = path.join(outside, "x");
    const call = { server: "plain", name: "write", arguments: { path: file } };
    const signal = new AbortController().signal;
    const said = await tools.callForClient("thread-1", call, signal).catch(String);
    expect(JSON.stringify(said)).not.toContain("written");
    expect(existsSync(file)).toBe(false);
  });
});

describe("the end of a thread", () => {
  it("leaves no server behind", async () => {
    const place = openPlace();
    await called(place, "workspace-write", ["mcp__plain__write", { path: `${place.workspace}/a` }]);
    await place.thread.close();
    expect(readFileSync(`${place.workspace}/a`, "utf8")).toBe("by a tool");
    await expect.poll(() => processesNaming(place.outside)).toEqual([]);
  });
});

/** Processes whose command line holds a path of this test. */
function processesNaming(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });
}
