/**
 * The same command on another machine, with the policy of the flags as its intent.
 *
 * What the policy means there is decided there: the symbols travel, and so do the
 * denies of this machine's operator. Nothing here asks what this machine could enforce.
 */
import path from "node:path";
import {
  CORE_VARIABLES,
  connectExecutor,
  createSigner,
  ExecError,
  type ExecErrorCode,
  executorAt,
  type RemoteExecutor,
  type StartRequest,
  StartupError,
} from "../../exec/index.ts";
import { type PermissionProfile, parseAbsolutePath } from "../../policy/index.ts";
import {
  openReceiptFile,
  type Receipt,
  type ReceiptFile,
  visibleLine,
} from "../../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { endOfRun } from "../end-of-run.ts";
import { type BoundFlags, bindFlags } from "../policy/bind-flags.ts";
import { startOfFlags } from "../start-of-flags.ts";
import { watchOutput } from "../watch-output.ts";
import { followProcess } from "./follow-process.ts";
import { say } from "./say.ts";
import { sayDrops } from "./say-drops.ts";
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
  const withOutput = watchOutput(world);
  try {
    const executor = await connect(flags, world);
    const start = travelling(request, flagged);
    return withOutput(await runThere(executor, start, file).finally(() => executor.close()));
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
  let known = "Whether the command has started is not known";
  try {
    const running = await executor.start({ ...request, pipeStdin: canEnd });
    known = "The command had started; how it ended is not known";
    if (running.sandboxType === "none") say("the command is not confined by a sandbox there");
    const { status, end } = await followProcess(running, canEnd);
    if (end === "unheard") return status;
    const receipt = await running.receipt;
    if (end === "seen") sayEnd(receipt, request.argv);
    return file === undefined || write(receipt, file) ? status : NOT_DONE;
  } catch (error) {
    // Any other refusal says that nothing was started.
    if (!(error instanceof ExecError) || !AFTERWARDS.includes(error.code)) throw error;
    say(error.code === "unkept" ? error.message : `${error.message}. ${known}`);
    return NOT_DONE;
  }
}

const AFTERWARDS: readonly ExecErrorCode[] = ["disconnected", "lostOutput", "unkept"];
const NOT_DONE = 1;

/** Only a server of ours says how it ended; of a stranger's there is the status alone. */
function sayEnd(receipt: Receipt | undefined, argv: readonly string[]): void {
  const { outcome } = receipt ?? {};
  switch (outcome?.kind) {
    case "killed":
    case "ended":
    case "limit":
    case "notStarted":
      say(endOfRun(outcome, argv));
  }
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

async function connect(flags: FlagValues, world: CliWorld): Promise<RemoteExecutor> {
  const { "token-file": tokenFile, sign } = flags;
  const at = (file: unknown) => path.resolve(world.cwd, String(file));
  const address = String(flags.on);
  const token = tokenFile === undefined ? undefined : tokenFor(address, at(tokenFile));
  const reach = executorAt(address, token === undefined ? {} : { bearerToken: token });
  try {
    return await connectExecutor({
      connect: sayDrops(reach, address, world),
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

/** The receipt is the executor's; a stranger's server has none. False where it is not in the file. */
function write(receipt: Receipt | undefined, file: ReceiptFile): boolean {
  try {
    if (receipt === undefined) throw new Error("the server gave none");
    file.write(`${JSON.stringify(receipt, null, 2)}\n`);
    return true;
  } catch (error) {
    say(`Cannot write the receipt: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
