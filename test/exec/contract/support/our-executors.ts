/** Executors of ours for one test: on this machine, and the same one behind a server. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import {
  createExecServer,
  createLocalExecutor,
  describeEnvironment,
  type ExecHost,
  type ExecServer,
  type Executor,
  openReceiptStore,
  type ReceiptStore,
} from "../../../../src/exec/index.ts";
import {
  type ConnectExecutorOptions,
  connectExecutor,
  type RemoteExecutor,
} from "../../../../src/exec/remote/connect-executor.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import {
  createLineTransport,
  listenWebSocket,
  type Transport,
  type WebSocketListener,
} from "../../../../src/rpc/index.ts";
import { recordsFor, removeRecords } from "../../../support/records-for.ts";

/** An executor for this machine, with a home and records of its own. */
export function localExecutor(): {
  readonly executor: Executor;
  readonly host: ExecHost;
  readonly receipts: ReceiptStore;
} {
  const base = mkdtempSync("/var/tmp/writ-executor-");
  const [home, records] = [path.join(base, "home"), recordsFor(base)];
  mkdirSync(home, { mode: 0o700 });
  onTestFinished(() => {
    rmSync(base, { recursive: true, force: true });
    removeRecords(records);
  });
  const host: ExecHost = {
    env: { PATH: "/usr/bin:/bin", HOME: home },
    platform: process.platform,
    own: { hidden: [parseAbsolutePath(home)], readOnly: [] },
    records,
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
  };
  const receipts = openReceiptStore(parseAbsolutePath(home));
  const executor = createLocalExecutor({ host, receipts, home: parseAbsolutePath(home) });
  onTestFinished(() => executor.close());
  return { executor, host, receipts };
}

/** A server for that executor; what it logs fails the test. */
export function execServer(more: Partial<Parameters<typeof createExecServer>[0]> = {}): ExecServer {
  const { executor, host, receipts } = localExecutor();
  const faults: unknown[] = [];
  const server = createExecServer({
    executor,
    description: describeEnvironment(host, { cwd: "/", allowHttp: false }),
    promise: {
      version: 1,
      executorId: "executor-of-the-test",
      enforces: true,
      waivers: "allowed",
      signatures: "unknown",
    },
    check: () => {},
    concurrentRequests: 1,
    receipts,
    http: { kind: "refused" },
    log: (fault) => faults.push(fault),
    ...more,
  });
  onTestFinished(async () => {
    await server.close();
    if (faults.length > 0) throw faults[0];
  });
  return server;
}

/** The address of a server that listens on the loopback. */
export async function listening(server: ExecServer): Promise<string> {
  const listener: WebSocketListener = await listenWebSocket({
    address: { kind: "tcp", host: "127.0.0.1", port: 0 },
    accept: (transport) => void server.accept(transport),
  });
  onTestFinished(() => listener.close());
  return listener.address;
}

/** A connection to a server over two streams, as its own input and output would be. */
export function pipesTo(server: ExecServer): Transport {
  const [there, back] = [new PassThrough(), new PassThrough()];
  server.accept(createLineTransport({ input: there, output: back }));
  return createLineTransport({ input: back, output: there });
}

/** A remote executor that is closed with the test. */
export async function remoteExecutor(
  connect: ConnectExecutorOptions["connect"],
  more: Partial<ConnectExecutorOptions> = {},
): Promise<RemoteExecutor> {
  const executor = await connectExecutor({ connect, clientName: "writ-test", ...more });
  onTestFinished(() => executor.close());
  return executor;
}
