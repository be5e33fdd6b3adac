/**
 * Puts an exec-server together from the flags and serves until it is told to stop.
 *
 * Standard output carries the address, or the protocol on stdio, and nothing else.
 */
import path from "node:path";
import {
  type AuthFlags,
  createAuthorize,
  createExecServer,
  createExecutorId,
  createLocalExecutor,
  createSignedIntentCheck,
  describeEnvironment,
  type ExecServer,
  loadBearerAuth,
  makeHome,
  openReceiptStore,
  parseListenAddress,
  readAuthFlags,
  readTrustedKeys,
  readTrustFlags,
  refuseOpenListener,
  refuseUnusedAuth,
  type ServerAddress,
  StartupError,
  type TrustSettings,
} from "../../exec/index.ts";
import { parseAbsolutePath } from "../../policy/index.ts";
import { createLineTransport, listenWebSocket, TransportError } from "../../rpc/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { sayWaiting } from "../help/say-waiting.ts";
import { ownHome } from "../policy/bind-flags.ts";
import { execHostOf } from "./exec-host-of.ts";
import { overlaidServer } from "./overlaid-server.ts";
import { sayUnconfined } from "./say-unconfined.ts";
import { stopSignal } from "./stop-signal.ts";

/** Serves until the end of the input or a signal; the answer is the exit status. */
export async function serveExecutor(
  flags: FlagValues,
  positionals: readonly string[],
  world: CliWorld,
): Promise<number> {
  if (positionals.length > 0) {
    throw new UsageError(`Cannot use "${positionals[0]}": expected options only`);
  }
  try {
    const asked = readFlags(flags);
    const server = await createServer(asked, flags, world);
    if (flags["host-on"] === undefined) void sayUnconfined(world);
    return await serve(server, asked, world);
  } catch (error) {
    if (error instanceof StartupError && error.code !== "unusableFile") {
      throw new UsageError(error.message, { cause: error });
    }
    if (!(error instanceof TransportError || error instanceof StartupError)) throw error;
    world.err(`writ: ${visibleLine(error.message)}\n`);
    return 1;
  }
}

function readFlags(flags: FlagValues) {
  const address = parseListenAddress(flags.listen as string | undefined);
  const auth = readAuthFlags(flags as AuthFlags);
  refuseOpenListener(address, auth);
  refuseUnusedAuth(address, auth);
  const trust = readTrustFlags(flags as Parameters<typeof readTrustFlags>[0]);
  return { address, auth, trust, concurrentRequests: concurrencyOf(flags) };
}

type Asked = ReturnType<typeof readFlags>;

async function createServer(
  { address, auth, trust, concurrentRequests }: Asked,
  flags: FlagValues,
  world: CliWorld,
): Promise<ExecServer> {
  if (flags["host-on"] !== undefined) {
    if (address.kind !== "stdio") throw new UsageError("Cannot use --host-on without stdio");
    return overlaidServer(String(flags["host-on"]), world);
  }
  const home = ownHome(world);
  makeHome(home);
  const host = await execHostOf({
    flags,
    world,
    reachable: address.kind === "tcp" && auth.kind === "none",
    secrets: secretsOf({ address, auth }, world),
    settings: trust.kind === "none" ? [] : [path.resolve(world.cwd, trust.file)],
  });
  const receipts = openReceiptStore(parseAbsolutePath(home));
  const executorId = createExecutorId(flags["executor-id"] as string | undefined);
  const allowHttp = flags["allow-http"] === true;
  return createExecServer({
    executor: createLocalExecutor({ host, receipts, home: parseAbsolutePath(home) }),
    description: describeEnvironment(host, { cwd: world.cwd, allowHttp }),
    promise: {
      version: 1,
      executorId,
      enforces: true,
      waivers: host.bounds.waivers,
      signatures: signaturesOf(trust),
    },
    check: checkOf(trust, executorId),
    concurrentRequests,
    receipts,
    http: allowHttp ? { kind: "allowed", env: world.env } : { kind: "refused" },
    log: (fault) => world.err(`writ: ${fault instanceof Error ? fault.stack : String(fault)}\n`),
  });
}

function secretsOf(
  { address, auth }: Pick<Asked, "address" | "auth">,
  { cwd }: CliWorld,
): string[] {
  const files = [
    ...(auth.kind === "tokenFile" ? [auth.file] : []),
    ...(auth.kind === "signedToken" ? [auth.secretFile] : []),
    ...(address.kind === "unix" ? [address.path] : []),
  ];
  return files.map((file) => path.resolve(cwd, file));
}

function signaturesOf(trust: TrustSettings): "unknown" | "accepted" | "required" {
  if (trust.kind === "none") return "unknown";
  return trust.unsigned === "refused" ? "required" : "accepted";
}

function checkOf(trust: TrustSettings, audience: string) {
  if (trust.kind === "none") return () => {};
  const keys = readTrustedKeys(trust.file);
  const check = createSignedIntentCheck({ keys, audience, unsigned: trust.unsigned });
  return (request: Parameters<typeof check>[0]) => void check(request);
}

function concurrencyOf({ "concurrent-requests": text = "1" }: FlagValues): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1 && count <= 1024) return count;
  throw new UsageError(`Cannot use --concurrent-requests "${text}": expected 1 to 1024`);
}

async function serve(server: ExecServer, asked: Asked, world: CliWorld): Promise<number> {
  const stopped = stopSignal();
  const ended =
    asked.address.kind === "stdio"
      ? serveStdio(server, world)
      : await listen(server, { ...asked, address: asked.address }, world).catch(async (error) => {
          await server.close();
          throw error;
        });
  await Promise.race([stopped, ended.over]);
  await ended.close();
  await server.close();
  return 0;
}

function serveStdio(server: ExecServer, world: CliWorld) {
  sayWaiting("the protocol of Codex's exec-server", world);
  const transport = createLineTransport({ input: process.stdin, output: process.stdout });
  const peer = server.accept(transport);
  return { over: peer.settled, close: async () => peer.close() };
}

/** With a query or without. */
function isRoot(url = ""): boolean {
  return /^\/(\?|$)/.test(url);
}

/** Nothing is to be had at any other path. */
const ELSEWHERE = { kind: "refused", status: 404, body: "" } as const;

async function listen(
  server: ExecServer,
  { address, auth }: { address: Exclude<ServerAddress, { kind: "stdio" }>; auth: Asked["auth"] },
  world: CliWorld,
) {
  const authorize = createAuthorize(loadBearerAuth(auth));
  const listener = await listenWebSocket({
    address,
    accept: (transport) => void server.accept(transport),
    route: ({ url }) =>
      url === "/readyz" ? { status: 200 } : url === "/" ? undefined : { status: 404 },
    authorize: (request) => (isRoot(request.url) ? authorize(request) : ELSEWHERE),
  });
  world.out(`${address.kind === "unix" ? "unix://" : ""}${listener.address}\n`);
  return { over: new Promise<void>(() => {}), close: () => listener.close() };
}
