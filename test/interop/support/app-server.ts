/** A thread of the real Codex behind its app-server, whose settings can change from turn to turn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  clientOf,
  createLineTransport,
  createPeer,
  createRouter,
  jsonRpc2,
  method,
  notification,
} from "../../../src/rpc/index.ts";
import { CODEX } from "./codex.ts";
import type { Place } from "./drive-codex.ts";
import { type McpTask, prepareMcp } from "./drive-mcp.ts";

const anything = z.looseObject({});
const call = (name: string, result: z.ZodType = anything) =>
  method(name, { summary: name, params: anything, result });

const METHODS = {
  initialize: call("initialize"),
  initialized: notification("initialized", { summary: "Ready", params: anything }),
  startThread: method("thread/start", {
    summary: "Start",
    params: anything,
    result: z.looseObject({ thread: z.looseObject({ id: z.string() }) }),
  }),
  startTurn: call("turn/start"),
  updateSettings: call("thread/settings/update"),
  callTool: call("mcpServer/tool/call"),
};

const EVENTS = {
  completed: notification("turn/completed", { summary: "A turn is over", params: anything }),
  updated: notification("thread/settings/updated", { summary: "Set", params: anything }),
};

export interface CodexThread {
  /** Runs a turn to its end, with settings that hold from now on; tells what the model was told so far. */
  turn(settings: object): Promise<readonly string[]>;
  /** Changes settings between turns. */
  set(settings: object): Promise<void>;
  /** A call that the client makes itself. */
  call(params: object): Promise<Readonly<Record<string, unknown>>>;
}

/** Starts a thread in the workspace; it ends with the test. */
export async function codexThread(task: McpTask): Promise<CodexThread> {
  const { env, outputs } = await prepareMcp(task);
  const { peer, next } = connect(task.place, env);
  const codex = clientOf(METHODS, peer);
  await codex.initialize({
    clientInfo: { name: "writ-interop", version: "0" },
    capabilities: { experimentalApi: true, requestAttestation: false },
  });
  await codex.initialized({});
  const { workspace: cwd } = task.place;
  const { thread } = await codex.startThread({
    cwd,
    sandbox: "read-only",
    approvalPolicy: "never",
  });
  const threadId = thread.id;
  return {
    async turn(settings) {
      const over = next("completed");
      const input = [{ type: "text", text: "go", text_elements: [] }];
      await codex.startTurn({ threadId, input, ...settings });
      await over;
      return outputs();
    },
    async set(settings) {
      const set = next("updated");
      await codex.updateSettings({ threadId, ...settings });
      await set;
    },
    call: async (params) => anything.parse(await codex.callTool({ threadId, ...params })),
  };
}

function connect({ workspace }: Place, env: Record<string, string>) {
  const child = spawn(CODEX, ["app-server"], {
    cwd: workspace,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const waiting: Record<keyof typeof EVENTS, (() => void)[]> = { completed: [], updated: [] };
  const tell = (name: keyof typeof EVENTS) => {
    for (const told of waiting[name].splice(0)) told();
  };
  const peer = createPeer({
    transport: createLineTransport({ input: child.stdout, output: child.stdin }),
    dialect: { ...jsonRpc2, writesVersion: false },
    log: () => {},
    serve: {
      router: createRouter({
        methods: EVENTS,
        handlers: { completed: () => tell("completed"), updated: () => tell("updated") },
      }),
      context: () => undefined,
    },
  });
  onTestFinished(async () => {
    peer.close();
    child.kill("SIGTERM");
    await exited;
  });
  const next = (name: keyof typeof EVENTS) =>
    new Promise<void>((resolve) => waiting[name].push(resolve));
  return { peer, next };
}
