/**
 * The same command on another machine, with the policy of the flags as its intent.
 *
 * What the policy means there is decided there: the symbols travel, and so do the
 * denies of this machine's operator. Nothing here asks what this machine could enforce.
 */
import { once } from "node:events";
import path from "node:path";
import type { Writable } from "node:stream";
import {
  CORE_VARIABLES,
  connectExecutor,
  createSigner,
  ExecError,
  executorAt,
  type RemoteExecutor,
  type RunningProcess,
  type StartRequest,
  StartupError,
} from "../../exec/index.ts";
import { type PermissionProfile, parseAbsolutePath } from "../../policy/index.ts";
import { openReceiptFile, type ReceiptFile, visibleLine } from "../../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { type BoundFlags, bindFlags } from "../policy/bind-flags.ts";
import { startOfFlags } from "../start-of-flags.ts";
import { tokenFor } from "./token-for.ts";

/** Runs the command there; the answer is its exit status. */
export async function runOnExecutor(
  flags: FlagValues,
  argv: readonly string[],
  world: CliWorld,
): Promise<number> {
  if (argv.length === 0) {
    throw new UsageError("Cannot run: no command was given, expected one after --");
  }
  if (flags["external-sandbox"]) {
    throw new UsageError(
      "Cannot use --external-sandbox with --on: its operator has to vouch for it",
    );
  }
  const flagged = await bindFlags(flags, world);
  const { request } = startOfFlags(argv, flagged, { flags, world });
  // Before the command runs: its executor may be this machine, and it could put a link there.
  const file = receiptFile(flags, flagged, world);
  try {
    const executor = await connect(flags, world);
    const start = travelling(request, flagged);
    return await runThere(executor, start, file).finally(() => executor.close());
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    world.err(`writ: ${visibleLine(error.message)}\n`);
    return NOT_STARTED;
  } finally {
    file?.close();
  }
}

async function runThere(
  executor: RemoteExecutor,
  request: StartRequest,
  file: ReceiptFile | undefined,
): Promise<number> {
  const canEnd = executor.trust.kind === "writ";
  const running = await executor.start({ ...request, pipeStdin: canEnd });
  if (running.sandboxType === "none") {
    process.stderr.write("writ: the command is not confined by a sandbox there\n");
  }
  const status = await follow(running, canEnd);
  if (file !== undefined) await keep(running, file);
  return status;
}

function receiptFile(
  { receipt }: FlagValues,
  { bound }: BoundFlags,
  { cwd }: CliWorld,
): ReceiptFile | undefined {
  if (receipt === undefined) return undefined;
  return openReceiptFile(parseAbsolutePath(path.resolve(cwd, String(receipt))), bound);
}

const NOT_STARTED = 125;

async function connect(flags: FlagValues, { cwd }: CliWorld): Promise<RemoteExecutor> {
  const { "token-file": tokenFile, sign } = flags;
  const at = (file: unknown) => path.resolve(cwd, String(file));
  const address = String(flags.on);
  const token = tokenFile === undefined ? undefined : tokenFor(address, at(tokenFile));
  try {
    return await connectExecutor({
      connect: executorAt(address, token === undefined ? {} : { bearerToken: token }),
      clientName: "writ",
      ...(sign !== undefined && {
        signer: (audience: string) => createSigner({ keyFile: at(sign), audience }),
      }),
    });
  } catch (error) {
    if (error instanceof StartupError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Variables of this machine mean nothing there; a command gets those of its executor. */
function travelling(
  request: StartRequest,
  { profile, ceiling, environment }: BoundFlags,
): StartRequest {
  const { sandbox } = request;
  const denied = withDenies(profile, ceiling?.denies ?? []);
  return {
    ...request,
    envPolicy: CORE_VARIABLES,
    env: { ...environment.set },
    sandbox:
      sandbox.kind === "waived"
        ? sandbox
        : { kind: "enforce", context: { ...sandbox.context, profile: denied } },
  };
}

type Denies = NonNullable<BoundFlags["ceiling"]>["denies"];

/** A profile without a list of rules is refused under denies before it comes here. */
function withDenies(profile: PermissionProfile, denies: Denies): PermissionProfile {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return profile;
  const { fileSystem } = profile;
  return { ...profile, fileSystem: { ...fileSystem, entries: [...fileSystem.entries, ...denies] } };
}

/** The receipt is the executor's; a stranger's server has none. */
async function keep(running: RunningProcess, file: ReceiptFile): Promise<void> {
  const receipt = await running.receipt;
  if (receipt === undefined) throw new UsageError("Cannot write the receipt: the server gave none");
  file.write(`${JSON.stringify(receipt, null, 2)}\n`);
}

async function follow(running: RunningProcess, canEnd: boolean): Promise<number> {
  const stop = feed(running, canEnd);
  const interrupt = () => void running.interrupt("group").catch(() => {});
  const end = () => void running.terminate().catch(() => {});
  process.on("SIGINT", interrupt).on("SIGTERM", end).on("SIGHUP", end);
  try {
    return await passOn(running);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", end).off("SIGHUP", end);
    stop();
  }
}

/** As after SIGPIPE: whoever read it has left. */
const NO_READER = 141;

async function passOn(running: RunningProcess): Promise<number> {
  let status = NOT_STARTED;
  let isRead = true;
  for await (const event of running.events) {
    if (event.kind === "exited") status = event.exit.exitCode;
    if (event.kind !== "output" || !isRead) continue;
    try {
      await written(event.stream === "stderr" ? process.stderr : process.stdout, event.chunk);
    } catch {
      isRead = false;
      await running.terminate();
    }
  }
  return isRead ? status : NO_READER;
}

async function written(stream: Writable, chunk: Uint8Array): Promise<void> {
  if (stream.destroyed) throw new Error("nobody reads it");
  if (!stream.write(chunk)) await once(stream, "drain");
}

/** Hands on what is typed here. A server that cannot be told of its end gets none. */
function feed(running: RunningProcess, canEnd: boolean): () => void {
  if (!canEnd) return () => {};
  const { stdin } = process;
  const send = async () => {
    for await (const chunk of stdin) if (!(await running.write(chunk))) return;
    await running.closeInput();
  };
  // The command may be over before all of it was read.
  send().catch(() => {});
  return () => {
    stdin.unref?.();
    stdin.destroy();
  };
}
