/**
 * Puts a REPL server together from its options and serves standard input.
 *
 * Standard output carries MCP and nothing else. Each language has one session,
 * which starts with the first call that needs it.
 */
import fs from "node:fs";
import path from "node:path";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import {
  createLocalExecutor,
  type ExecHost,
  type LocalMachine,
  makeHome,
  makeScratch,
  openReceiptStore,
  PACKAGE_ROOT,
  scratchFolder,
} from "../../exec/index.ts";
import { createReplServer, ReplSession, stdioTransport, workerParts } from "../../mcp/index.ts";
import { parseAbsolutePath } from "../../policy/index.ts";
import { buildEnvironment } from "../../sandbox/index.ts";
import { type CliWorld, type CommandInput, UsageError } from "../command.ts";
import { execHostOf } from "../exec/exec-host-of.ts";
import { stopSignal } from "../exec/stop-signal.ts";
import { sayWaiting } from "../help/say-waiting.ts";
import { type BoundFlags, bindFlags, ownHome } from "../policy/bind-flags.ts";
import { chosenWorkers } from "./chosen-workers.ts";
import { type DebugLog, openDebugLog } from "./debug-log.ts";
import { outputOf, readOutputOptions } from "./output-options.ts";
import { sandboxOperations, sandboxPlan } from "./sandbox-plan.ts";
import { workerPolicy } from "./worker-policy.ts";

/** How long a worker has to end by itself when it is told to. */
const GRACE_MS = 500;

/** Serves until the end of the input or a signal; the answer is the exit status. */
export async function serveRepl(
  { flags, order, positionals }: CommandInput,
  world: CliWorld,
): Promise<number> {
  if (positionals.length > 0) {
    throw new UsageError(`Cannot use "${positionals[0]}": expected options only`);
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGE_ROOT, "package.json"), "utf8"));
  if (flags.version) {
    world.out(`${version}\n`);
    return 0;
  }
  refuseSwitchedOff(world);
  const plan = sandboxPlan(sandboxOperations(order));
  const output = readOutputOptions(flags, world);
  const workers = chosenWorkers(flags, world);
  // Settings of the user, and the folders that decide about policies; the policy itself is the plan's.
  const settings = await bindFlags({ sandbox: "read-only" }, world);
  makeHome(ownHome(world));
  const debug = openDebugLog(flags, world);
  const machine = await machineOf(settings, debug, world);
  const kept = await makeScratch(machine.host.records, "kept");
  const readable = workerParts(process.execPath).map((part) => parseAbsolutePath(part));
  const sessions = new Map(
    [...workers].map(([name, { argv, env, speech }]) => {
      const all = { ...buildEnvironment(settings.environment, world.env), ...env };
      const session = new ReplSession({
        machine,
        command: { argv, env: all, envPolicy: null, terminal: null },
        speech,
        ...workerPolicy(plan, settings.folder),
        readable,
        graceMs: GRACE_MS,
        output: outputOf(output, path.join(kept.folder, name)),
      });
      return [name, session] as const;
    }),
  );
  const log = debug?.log ?? (() => {});
  log({ event: "start", version, languages: [...workers.keys()], sandbox: plan });
  const transport = stdioTransport();
  serveStdio(
    () =>
      createReplServer({
        ...{ sessions, version, log },
        oversized: output.oversized,
        inherits: plan.kind === "inherit",
      }),
    { transport },
  );
  sayWaiting("MCP", world);
  const all = [...sessions.values()];
  // A client that sends a signal may not wait long: what a sandbox leaves must be gone by then.
  const stopped = stopSignal().then(() => machine.executor.close());
  await Promise.race([stopped, transport.closed]);
  await Promise.all(all.map((session) => session.close()));
  await machine.executor.close();
  await kept.remove();
  // A signal leaves the input open, and whoever reads it stays.
  await transport.close();
  return 0;
}

/** A variable that takes the sandbox away is not a mode that somebody chose. */
function refuseSwitchedOff({ env }: CliWorld): void {
  const value = env.MCP_REPL_USE_LINUX_BWRAP?.trim().toLowerCase();
  if (value === undefined || value === "" || value === "1" || value === "true") return;
  throw new UsageError(
    `Cannot use MCP_REPL_USE_LINUX_BWRAP="${value}": it would take the sandbox away; say --sandbox danger-full-access where that is meant`,
  );
}

async function machineOf(
  { sources }: BoundFlags,
  debug: DebugLog | undefined,
  world: CliWorld,
): Promise<LocalMachine> {
  const place = { flags: {}, world, reachable: false, secrets: [], settings: sources };
  const found = await execHostOf(place);
  const kept = [
    scratchFolder(found.records, "kept"),
    ...(debug === undefined ? [] : [parseAbsolutePath(debug.folder)]),
  ];
  const host: ExecHost = {
    ...found,
    own: { ...found.own, readOnly: [...found.own.readOnly, ...kept] },
    // Whoever starts this chose the client, so the folders it names may be worked on.
    bounds: { ...found.bounds, roots: "any" },
  };
  const receipts = openReceiptStore(parseAbsolutePath(ownHome(world)));
  return { host, executor: createLocalExecutor({ host, receipts }) };
}
