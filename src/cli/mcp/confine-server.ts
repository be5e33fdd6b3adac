/**
 * Puts a confined server together from the flags and serves standard input.
 *
 * Standard output carries MCP and nothing else.
 */
import {
  createLocalExecutor,
  type ExecHost,
  makeHome,
  openReceiptStore,
  type StartRequest,
} from "../../exec/index.ts";
import {
  type ConfineMode,
  intentOfState,
  type NetworkBound,
  ownState,
  serveConfined,
} from "../../mcp/index.ts";
import { parseAbsolutePath } from "../../policy/index.ts";
import { createLineTransport } from "../../rpc/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { execHostOf } from "../exec/exec-host-of.ts";
import { stopSignal } from "../exec/stop-signal.ts";
import { sayWaiting } from "../help/say-waiting.ts";
import { type BoundFlags, bindFlags, ownHome } from "../policy/bind-flags.ts";
import { POLICY_SOURCES } from "../policy/policy-sources.ts";
import { type AskedStart, startOfFlags } from "../start-of-flags.ts";

/** The longest line that is read from a client. */
const MOST_LINE_BYTES = 32 << 20;
const GRACE_MS = 1_000;
/** What is kept for a client that does not read what the server prints for people. */
const MOST_UNREAD = 1 << 20;
/** How long a client may take to read the last of it. */
const LAST_WORDS_MS = 2_000;

/** Serves until the end of the input or a signal; the answer is the exit status. */
export async function confineServer(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<number> {
  if (argv.length === 0) {
    throw new UsageError("Cannot confine: no server was given, expected one after --");
  }
  if (argv[0] === "") {
    throw new UsageError('Cannot confine "": it is empty, expected a server after --');
  }
  const network = networkOf(flags);
  const isExplicit = POLICY_SOURCES.some((name) => flags[name] !== undefined);
  // What a server is under before a call says more is the policy of a flag, too.
  const asked = isExplicit ? flags : { ...flags, sandbox: "read-only" };
  const flagged = await bindFlags({ ...asked, network: undefined }, world);
  if (isExplicit) refuseWaived(flags, flagged);
  makeHome(ownHome(world));
  const start = startOfFlags(argv, flagged, { flags, world });
  const env = { ...start.request.env, ...namedVariables(flags, world) };
  const host = await hostOf({ flags, world, flagged, asked: start, isExplicit });
  const executor = createLocalExecutor({
    host,
    receipts: openReceiptStore(parseAbsolutePath(ownHome(world))),
  });
  const server = serveConfined(stdio(), {
    executor,
    bounds: { host, network },
    argv,
    cwd: start.request.cwd,
    env,
    envPolicy: null,
    mode: isExplicit ? explicit(start.request, network) : { kind: "inherit" },
    stderr,
    graceMs: GRACE_MS,
  });
  sayWaiting("MCP", world);
  // A client that sends a signal may not wait long: what a sandbox leaves must be gone by then.
  const stopped = stopSignal().then(() => Promise.all([server.kill(), executor.close()]));
  await Promise.race([stopped, server.over]);
  await server.close();
  await executor.close();
  // What nobody reads would keep this process alive.
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
  return 0;
}

function networkOf({ network = "asSent" }: FlagValues): NetworkBound {
  if (network === "asSent" || network === "off") return network;
  throw new UsageError(`Cannot use --network "${network}": expected off or asSent`);
}

/** Before the network is taken from it: what is left then is a sandbox, and one around the whole disk. */
function refuseWaived(flags: FlagValues, { profile }: BoundFlags): void {
  if (!flags["require-sandbox"] || profile.type !== "disabled") return;
  throw new UsageError(
    "Cannot use --require-sandbox: the policy waives the sandbox, expected one that does not",
  );
}

/** One policy for everything, within what `--network` allows. */
function explicit({ sandbox, cwd }: StartRequest, network: NetworkBound): ConfineMode {
  if (sandbox.kind === "waived") return { kind: "explicit", intent: sandbox };
  const { profile } = sandbox.context;
  const bounded = intentOfState(ownState(profile, cwd), network);
  const context = { ...sandbox.context, profile: bounded.context.profile };
  return { kind: "explicit", intent: { kind: "enforce", context } };
}

interface HostQuestion {
  readonly flags: FlagValues;
  readonly world: CliWorld;
  readonly flagged: BoundFlags;
  readonly asked: AskedStart;
  readonly isExplicit: boolean;
}

/** Whoever starts this chose the client, so the folders it names may be worked on. */
async function hostOf(question: HostQuestion): Promise<ExecHost> {
  const { flags, world, flagged, asked, isExplicit } = question;
  const place = { flags, world, reachable: false, secrets: [], settings: flagged.sources };
  const host = await execHostOf(place);
  const { ceilings, waivers } = host.bounds;
  const added = flags.ceiling === undefined ? [] : ceilings.slice(-1);
  // Whether the name of the policy is on a list was asked when it was still known.
  const kept = isExplicit ? [...asked.host.bounds.ceilings, ...added] : ceilings;
  return { ...host, bounds: { ...asked.host.bounds, ceilings: kept, waivers } };
}

function namedVariables({ env }: FlagValues, world: CliWorld): Record<string, string> {
  const names = env === undefined ? [] : [env].flat().map(String);
  return Object.fromEntries(
    names.map((name) => {
      const value = world.env[name];
      if (value !== undefined) return [name, value];
      throw new UsageError(`Cannot use --env "${name}": there is no such variable`);
    }),
  );
}

function stderr(chunk: Uint8Array): void {
  if (process.stderr.writableLength < MOST_UNREAD) process.stderr.write(chunk);
}

function stdio() {
  return createLineTransport({
    input: process.stdin,
    output: process.stdout,
    maxLineBytes: MOST_LINE_BYTES,
  });
}
