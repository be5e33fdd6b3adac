/** `npm run bench [NAME…]`: runs the named benchmarks, or all of them. */
import { appBench } from "./app.ts";
import { execBench } from "./exec.ts";
import { execLoadBench } from "./exec-load.ts";
import { filesBench } from "./files.ts";
import { globsBench } from "./globs.ts";
import { mcpBench } from "./mcp.ts";
import { policyBench } from "./policy.ts";
import { replBench } from "./repl.ts";
import { sandboxBench } from "./sandbox.ts";
import { sessionBench } from "./session.ts";
import { skillsBench } from "./skills.ts";
import { snapshotBench } from "./snapshot.ts";
import { throughputBench } from "./throughput.ts";
import { turnBench } from "./turn.ts";

const BENCHES: Readonly<Record<string, () => void | Promise<void>>> = {
  policy: policyBench,
  sandbox: sandboxBench,
  globs: globsBench,
  files: filesBench,
  throughput: throughputBench,
  exec: execBench,
  "exec-load": execLoadBench,
  session: sessionBench,
  snapshot: snapshotBench,
  skills: skillsBench,
  mcp: mcpBench,
  repl: replBench,
  app: appBench,
  turn: turnBench,
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  const known = Object.keys(BENCHES).join(", ");
  process.stderr.write(`Cannot run benchmark "${unknown}": expected ${known}\n`);
  process.exitCode = 2;
} else {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length === 0 || wanted.includes(name)) await bench();
  }
}
