/** Our RPC client, and our writers of policies, against the servers of the real Codex. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  policyForMode,
  profileOfPolicy,
  uriOfNative,
  writeCamelPolicy,
  writeExecContext,
} from "../../src/policy/index.ts";
import {
  clientOf,
  connectWebSocket,
  createLineTransport,
  createPeer,
  createRouter,
  jsonRpc2,
  method,
  notification,
  type RpcDialect,
  type Transport,
} from "../../src/rpc/index.ts";
import { CODEX, codexEnv, labFolder } from "./support/codex.ts";

const dialect: RpcDialect = { ...jsonRpc2, writesVersion: false };
const anything = z.looseObject({});

const execMethods = {
  initialize: method("initialize", {
    summary: "Open a session",
    params: z.object({ clientName: z.string() }),
    result: z.looseObject({ sessionId: z.string() }),
  }),
  initialized: notification("initialized", { summary: "The session is open", params: anything }),
  start: method("process/start", { summary: "Start", params: anything, result: anything }),
};

const execEvents = {
  exited: notification("process/exited", {
    summary: "A process ended",
    params: z.looseObject({ processId: z.string(), exitCode: z.number() }),
  }),
};

function spawnCodex(args: readonly string[], home: string): ChildProcess {
  const child = spawn(CODEX, args, { env: codexEnv(home), stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return child;
}

function linesOf({ stdin, stdout }: ChildProcess): Transport {
  if (stdin === null || stdout === null) throw new Error("Cannot speak: no pipes");
  return createLineTransport({ input: stdout, output: stdin });
}

async function webSocketOf(child: ChildProcess): Promise<Transport> {
  if (child.stdout === null) throw new Error("Cannot listen: no pipe");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("ws://")) return connectWebSocket({ kind: "url", url: line });
  }
  throw new Error("Cannot connect: the server printed no address");
}

/** Runs one command under our intent and tells how it ended. */
async function exitUnderIntent(transport: Transport, cwd: string, script: string): Promise<number> {
  const exit = Promise.withResolvers<number>();
  const peer = createPeer({
    transport,
    dialect,
    log: () => {},
    serve: {
      router: createRouter({
        methods: execEvents,
        handlers: { exited: ({ exitCode }) => exit.resolve(exitCode) },
      }),
      context: () => undefined,
    },
  });
  const server = clientOf(execMethods, peer);
  await server.initialize({ clientName: "writ-interop" });
  await server.initialized({});
  const sandbox = writeExecContext(
    {
      profile: profileOfPolicy(policyForMode("workspace-write")),
      workspaceRoots: [uriOfNative(cwd)],
      cwd: uriOfNative(cwd),
      settings: { windowsSandboxLevel: "disabled" },
    },
    "refuse",
  );
  await server.start({
    processId: "one",
    argv: ["/bin/sh", "-c", script],
    cwd: uriOfNative(cwd),
    env: { PATH: "/usr/bin:/bin" },
    tty: false,
    sandbox,
  });
  const status = await exit.promise;
  peer.close();
  return status;
}

describe("a peer of ours", () => {
  it.each([
    ["lines", ["exec-server", "--listen", "stdio"], async (child: ChildProcess) => linesOf(child)],
    ["a WebSocket", ["exec-server", "--listen", "ws://127.0.0.1:0"], webSocketOf],
  ])("has the real exec-server enforce our intent over %s", async (_, args, transportOf) => {
    const folder = labFolder();
    const transport = await transportOf(spawnCodex(args, `${folder}/home`));
    const script = "touch inside && ! touch ../outside 2>/dev/null && ! mkdir .git 2>/dev/null";
    expect(await exitUnderIntent(transport, `${folder}/home`, script)).toBe(0);
    expect(existsSync(path.join(folder, "home/inside"))).toBe(true);
    expect(existsSync(path.join(folder, "outside"))).toBe(false);
  });

  it("has the real app-server run a command under our policy", async () => {
    const folder = labFolder();
    const child = spawnCodex(["app-server"], `${folder}/home`);
    const peer = createPeer({ transport: linesOf(child), dialect, log: () => {} });
    const server = clientOf(
      {
        initialize: method("initialize", { summary: "Open", params: anything, result: anything }),
        exec: method("command/exec", {
          summary: "Run",
          params: anything,
          result: z.looseObject({ exitCode: z.number() }),
        }),
      },
      peer,
    );
    await server.initialize({ clientInfo: { name: "writ-interop", version: "0" } });
    const run = (mode: "read-only" | "workspace-write") =>
      server.exec({
        command: ["/bin/sh", "-c", `touch ${mode}`],
        cwd: folder,
        sandboxPolicy: writeCamelPolicy(policyForMode(mode)),
      });
    expect(await run("workspace-write")).toMatchObject({ exitCode: 0 });
    expect((await run("read-only")).exitCode).not.toBe(0);
    expect(existsSync(path.join(folder, "read-only"))).toBe(false);
    peer.close();
  });
});
