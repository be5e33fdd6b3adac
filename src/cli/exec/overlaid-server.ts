/** An exec-server for one anchor among overlays, which writ starts for itself and talks to over pipes. */
import fs from "node:fs";
import {
  createExecServer,
  createLocalExecutor,
  describeEnvironment,
  type ExecServer,
  type Executor,
  type OverlaidHost,
  openReceiptStore,
  readOverlaidHost,
} from "../../exec/index.ts";
import { type CliWorld, UsageError } from "../command.ts";

/** It has one client, which waits for nobody else. */
const CONCURRENT = 64;

/** Throws where this process is not among the overlays that it is told of. */
export function overlaidServer(descriptor: string, world: CliWorld): ExecServer {
  const { host, home, ...anchored } = readOverlaidHost(readAll(descriptor), world.env);
  const receipts = openReceiptStore(home);
  return createExecServer({
    executor: inAnchor(createLocalExecutor({ host, receipts }), anchored),
    description: describeEnvironment(host, { cwd: "/", allowHttp: false }),
    promise: {
      version: 1,
      executorId: `overlaid-${process.pid}`,
      enforces: true,
      waivers: host.bounds.waivers,
      signatures: "unknown",
      keepsUnturned: true,
    },
    check: () => {},
    concurrentRequests: CONCURRENT,
    receipts,
    http: { kind: "refused" },
    log: (fault) => world.err(`writ: ${fault instanceof Error ? fault.stack : String(fault)}\n`),
  });
}

function readAll(descriptor: string): string {
  const fd = Number(descriptor);
  if (!Number.isSafeInteger(fd) || fd < 3) {
    throw new UsageError(`Cannot use --host-on "${descriptor}": expected a descriptor from 3 on`);
  }
  try {
    return fs.readFileSync(fd, "utf8");
  } catch (cause) {
    throw new UsageError(`Cannot use --host-on "${descriptor}": nothing can be read there`, {
      cause,
    });
  } finally {
    fs.closeSync(fd);
  }
}

/** No wire has a word for a layer, nor for all that a receipt is to name. */
function inAnchor(
  executor: Executor,
  { layer, ids }: Pick<OverlaidHost, "layer" | "ids">,
): Executor {
  const { anchors } = executor;
  return {
    ...executor,
    start: (request, givenUp) =>
      executor.start({ ...request, ids: { ...ids, ...request.ids } }, givenUp),
    anchors: anchors && {
      find: (anchorId) => anchors.find(anchorId),
      list: () => anchors.list(),
      compare: (anchorId, question) => anchors.compare(anchorId, question),
      stock: (anchorId, change) => anchors.stock(anchorId, change),
      close: (anchorId) => anchors.close(anchorId),
      open: (request) => anchors.open({ ...request, layer }),
    },
  };
}
