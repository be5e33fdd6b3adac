/** A program of its own, to be killed: serves an executor over its streams, as whoever starts it. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  createExecServer,
  createLocalExecutor,
  describeEnvironment,
  type ExecHost,
} from "../../../../src/exec/index.ts";
import { parseAbsolutePath } from "../../../../src/policy/index.ts";
import { createLineTransport } from "../../../../src/rpc/index.ts";
import { recordsFor } from "../../../support/records-for.ts";

const base = process.argv[2] ?? "";
const [home, records] = [path.join(base, "own"), recordsFor(base)];
mkdirSync(home, { recursive: true, mode: 0o700 });
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
const receipts = { started() {}, ended() {} };
const server = createExecServer({
  executor: createLocalExecutor({ host, receipts, home: parseAbsolutePath(home) }),
  description: describeEnvironment(host, { cwd: "/", allowHttp: false }),
  promise: {
    version: 1,
    executorId: "anchor-server",
    enforces: true,
    waivers: "allowed",
    signatures: "unknown",
  },
  check: () => {},
  concurrentRequests: 32,
  receipts,
  http: { kind: "refused" },
  log: (fault) => void process.stderr.write(`${String(fault)}\n`),
});
const peer = server.accept(createLineTransport({ input: process.stdin, output: process.stdout }));
await peer.closed;
await server.close();
