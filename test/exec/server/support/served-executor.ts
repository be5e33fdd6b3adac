/** The server in this process, before an executor whose processes the test plays. */
import { onTestFinished } from "vitest";
import {
  type AnchorOperations,
  createExecServer,
  type ExecServer,
  type Executor,
  type FileOperations,
  type StartRequest,
} from "../../../../src/exec/index.ts";
import type { SessionTimes } from "../../../../src/exec/server/sessions/exec-session.ts";
import { createMemoryPair, type Transport } from "../../../../src/rpc/index.ts";
import { WireClient } from "../../../os/exec-server/support/wire-client.ts";
import { FakeProcess } from "./fake-process.ts";

export interface ServedExecutor {
  readonly server: ExecServer;
  /** By their ids. */
  readonly processes: ReadonlyMap<string, FakeProcess>;
  readonly faults: readonly unknown[];
  /** A connection that has not said anything. */
  connect(): WireClient;
}

export interface ServedOptions {
  readonly times?: SessionTimes;
  readonly concurrentRequests?: number;
  /** What a start waits for. */
  readonly starting?: Promise<void>;
  /** Whether a start that is given up meanwhile is refused, as its executor does where it still can. */
  readonly canGiveUp?: boolean;
  readonly anchors?: AnchorOperations;
  /** Only what the test asks for. */
  readonly files?: object;
}

/** Serves it until the end of the test. */
export function serveFakes(options: ServedOptions = {}): ServedExecutor {
  const processes = new Map<string, FakeProcess>();
  const faults: unknown[] = [];
  const executor: Executor = {
    files: (options.files ?? {}) as FileOperations,
    anchors: options.anchors,
    async start({ processId }: StartRequest, givenUp?: AbortSignal) {
      await options.starting;
      if (options.canGiveUp === true) givenUp?.throwIfAborted();
      const process = new FakeProcess(processId);
      processes.set(processId, process);
      return process;
    },
    async close() {},
  };
  const server = createExecServer({
    executor,
    description: { shell: { name: "sh", path: "/bin/sh" }, capabilities: {} },
    promise: {
      version: 1,
      executorId: "fake",
      enforces: true,
      waivers: "allowed",
      signatures: "unknown",
    },
    check: () => {},
    concurrentRequests: options.concurrentRequests ?? 1,
    receipts: { started() {}, ended() {} },
    http: { kind: "refused" },
    ...(options.times && { times: options.times }),
    log: (fault) => faults.push(fault),
  });
  onTestFinished(() => server.close());
  return { server, processes, faults, connect: () => connect(server) };
}

function connect(server: ExecServer): WireClient {
  const [near, far] = createMemoryPair();
  server.accept(far);
  const closed = Promise.withResolvers<void>();
  return new WireClient({
    send: (text) => void near.send(String(text)).catch(() => {}),
    listen: (message) => open(near, message, closed.resolve),
    cut: () => near.close(),
    closed: closed.promise,
  });
}

function open(near: Transport, message: (text: string) => void, closed: () => void): void {
  near.open({
    message: (incoming) => incoming.kind === "text" && message(incoming.text),
    closed,
  });
}

/** Params of a start that the fake executor takes. */
export function aStart(processId: string) {
  return { processId, argv: ["x"], cwd: "file:///", env: {}, tty: false, pipeStdin: true };
}
