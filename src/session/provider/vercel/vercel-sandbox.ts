/**
 * One VM: what runs in it, its files, when it ends.
 *
 * It keeps one policy for everybody in it, so whatever comes with another one is
 * refused. Each operation is asked of this very VM and once; when it is over,
 * everything is `stopped`, and nothing is started again.
 */
import { randomUUID } from "node:crypto";
import {
  intentForReceipt,
  type ReceiptKeeper,
  RunReceipt,
  type SandboxIntent,
} from "../../../exec/index.ts";
import type { PathUri } from "../../../policy/index.ts";
import type { SessionError } from "../../session-error.ts";
import { type Attempt, attemptError, type Told } from "../attempt.ts";
import { findCommand } from "../find-command.ts";
import type { CommandRequest } from "../provided-command.ts";
import type {
  FileRequest,
  FilesChanged,
  FileToWrite,
  ProvidedSandbox,
} from "../provided-sandbox.ts";
import type { ProvidedShelf } from "../provided-shelf.ts";
import { refuseDomain } from "../refuse-domain.ts";
import { refuseExtension } from "../refuse-extension.ts";
import { sandboxPath } from "../sandbox-path.ts";
import { untilAborted } from "../until-aborted.ts";
import { SCRIPTS } from "./files/scripts.ts";
import { type ScriptEnd, VmFiles } from "./files/vm-files.ts";
import { vmPathOf } from "./files/vm-path-of.ts";
import { createVmShelf } from "./files/vm-shelf.ts";
import { isKept, policyOf } from "./firewall.ts";
import { knownOfVm, planVm, type VmPlan } from "./plan-vm.ts";
import { attemptingVm, STOPPED, toVmError } from "./to-vm-error.ts";
import { VercelCommand } from "./vercel-command.ts";
import { type VmLabel, writeVmId } from "./vm-label.ts";
import { VmLife } from "./vm-life.ts";
import type { Vm, VmLink } from "./vm-link.ts";
import { startInVm, type VmRun } from "./vm-run.ts";

export interface VercelSandboxParts {
  readonly vm: Vm;
  readonly label: VmLabel;
  readonly link: VmLink;
  readonly receipts: ReceiptKeeper;
  /** For receipts. */
  readonly backend: string;
}

const UNSUPPORTED: Told = [
  "unsupported",
  "commands in a VM of Vercel have no input and no terminal, expected one without",
];
const WIDER: Told = [
  "forbidden",
  "its policy is not that of the VM, which keeps one for everybody in it, expected the same",
];
const FIREWALL: Told = [
  "unavailable",
  "the firewall of the VM is not what was asked for, expected it to be",
];
/** In the variables of a command and of all that it starts. */
const MARK = "WRIT_COMMAND";
const OWN_ENV = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };

export class VercelSandbox implements ProvidedSandbox {
  readonly id: string;
  readonly cwd: PathUri;
  readonly boundDigest: string;
  readonly shelf: ProvidedShelf;
  readonly #parts: VercelSandboxParts;
  readonly #files: VmFiles;
  readonly #commands = new Set<VercelCommand>();
  readonly #life: VmLife;
  #isHeld = false;
  #isOver = false;
  #stopping: Promise<void> | undefined;

  constructor(parts: VercelSandboxParts, workspace: PathUri) {
    const { vm, label } = parts;
    this.#parts = parts;
    this.#life = new VmLife(vm, parts.link);
    this.id = writeVmId({ name: vm.name, sessionId: vm.session.sessionId });
    this.cwd = workspace;
    this.boundDigest = label.boundDigest;
    this.#files = new VmFiles({
      session: vm.session,
      workspace,
      admit: async (intent, attempt) => void (await this.#admit(intent, attempt)),
      run: (script, args) => this.#runOwn(script, args),
    });
    this.shelf = createVmShelf(this.#files, vmPathOf(workspace));
  }

  get expiresAt(): number {
    const { startedAt, createdAt, timeout } = this.#parts.vm.session;
    return (startedAt ?? createdAt).getTime() + timeout;
  }

  async probe(signal: AbortSignal): Promise<void> {
    const attempt = this.#attempt("look at", "look");
    this.#refuseOver(attempt);
    await attemptingVm(attempt, () =>
      untilAborted(signal, attempt, () => this.#life.probe(attempt, signal)),
    );
    this.#refuseOver(attempt);
  }

  async digestOf(intent: SandboxIntent): Promise<string> {
    this.#refuseOver(this.#attempt("ask about a policy in", "look"));
    return planVm(intent, this.cwd).boundDigest;
  }

  async isWithin(intent: SandboxIntent, base: SandboxIntent): Promise<boolean> {
    return (await this.digestOf(intent)) === (await this.digestOf(base));
  }

  async runCommand(request: CommandRequest): Promise<VercelCommand> {
    const { argv, intent } = request;
    const attempt: Attempt = { verb: "run", thing: argv[0], work: "change" };
    this.#refuseOver(attempt);
    if (request.stdin === "pipe") throw attemptError(UNSUPPORTED, attempt);
    const cwd = vmPathOf(sandboxPath(this.cwd, request.cwd));
    const receipt = this.#receiptOf(request, cwd);
    return attemptingVm(attempt, async () => {
      const plan = await this.#admit(intent, attempt).catch((error: SessionError) => {
        receipt.refuse(error.code, error.message);
        throw error;
      });
      receipt.hear(knownOfVm(plan, this.#parts.backend));
      receipt.begin();
      const mark = randomUUID();
      const env = { ...request.env, WRIT_SHELF: this.shelf.path, [MARK]: mark };
      const run = await this.#start({ argv, cwd, env }).catch((cause: unknown) => {
        throw unbegun(toVmError(cause, attempt), receipt);
      });
      return this.#follow(run, { name: argv[0], mark, receipt });
    });
  }

  async startProcess(request: Pick<CommandRequest, "argv">): Promise<never> {
    const attempt: Attempt = { verb: "run", thing: request.argv[0], work: "change" };
    this.#refuseOver(attempt);
    throw attemptError(UNSUPPORTED, attempt);
  }

  async getCommand(id: string): Promise<VercelCommand> {
    this.#refuseOver(this.#attempt("look into", "look"));
    return findCommand(this.#commands, id);
  }

  async domain(port: number): Promise<never> {
    this.#refuseOver(this.#attempt("look into", "look"));
    return refuseDomain(port);
  }

  mkDir(path: string, under: FileRequest): Promise<void> {
    return this.#files.mkDir(path, under);
  }

  writeFiles(files: readonly FileToWrite[], under: FileRequest): Promise<FilesChanged> {
    return this.#files.writeFiles(files, under);
  }

  remove(paths: readonly string[], under: FileRequest): Promise<FilesChanged> {
    return this.#files.remove(paths, under);
  }

  readFileToBuffer(path: string, under: FileRequest): Promise<Buffer | null> {
    return this.#files.readFileToBuffer(path, under);
  }

  listDir(path: string, under: FileRequest): ReturnType<ProvidedSandbox["listDir"]> {
    return this.#files.listDir(path, under);
  }

  async extendTimeout(ms: number): Promise<void> {
    const attempt = this.#attempt("extend", "look");
    this.#refuseOver(attempt);
    refuseExtension(this.id, ms);
    await attemptingVm(attempt, () => this.#parts.vm.session.extendTimeout(ms));
  }

  /** What could not be ended is tried again by whoever asks again. */
  stop(): Promise<void> {
    this.#isOver = true;
    this.#stopping ??= this.#end().catch((error: unknown) => {
      this.#stopping = undefined;
      throw error;
    });
    return this.#stopping;
  }

  async #end(): Promise<void> {
    const commands = [...this.#commands];
    for (const command of commands) command.abandon();
    await this.#life.end(this.#attempt("end", "look"));
    await Promise.all(commands.map((command) => command.cut()));
  }

  async #admit(intent: SandboxIntent, attempt: Attempt): Promise<VmPlan> {
    this.#refuseOver(attempt);
    const plan = planVm(intent, this.cwd);
    if (plan.boundDigest !== this.boundDigest) throw attemptError(WIDER, attempt);
    if (!this.#isHeld) await attemptingVm({ ...attempt, work: "look" }, () => this.#hold(plan));
    this.#refuseOver(attempt);
    return plan;
  }

  /** Before anything happens in it: one that was found may have been told something else meanwhile. */
  async #hold({ firewall }: VmPlan): Promise<void> {
    const { session } = this.#parts.vm;
    await session.update({ networkPolicy: policyOf(firewall) });
    if (!isKept(firewall, session.networkPolicy)) {
      throw attemptError(FIREWALL, this.#attempt("use", "look"));
    }
    this.#isHeld = true;
  }

  #start(command: Parameters<typeof startInVm>[1]): Promise<VmRun> {
    const { vm, link } = this.#parts;
    return startInVm(vm.session, command, link.answers);
  }

  async #follow(
    run: VmRun,
    { name, mark, receipt }: { name: string; mark: string; receipt: RunReceipt },
  ): Promise<VercelCommand> {
    const end = () => this.#endCommand(run.id, mark);
    const command = new VercelCommand({
      ...{ run, name, receipt, end },
      isVmThere: async () => !this.#isOver && this.#life.isThere(),
    });
    if (this.#isOver) {
      command.abandon();
      await command.cut();
      throw attemptError(STOPPED, { verb: "run", thing: name, work: "change" });
    }
    this.#commands.add(command);
    command.ended.finally(() => this.#commands.delete(command)).catch(() => {});
    return command;
  }

  /** The service ends the process that it began; whatever that has started goes by its mark. */
  async #endCommand(id: string, mark: string): Promise<void> {
    const command = await this.#parts.vm.session.getCommand(id);
    if (command.exitCode === null) await command.kill("SIGKILL");
    const { exitCode } = await this.#runOwn(SCRIPTS.endMarked, [`${MARK}=${mark}`], true);
    if (exitCode !== 0) throw new Error("something of it is left");
  }

  /** A script of the provider's own, under the policy of the VM. */
  async #runOwn(script: string, args: readonly string[], asRoot = false): Promise<ScriptEnd> {
    const argv = ["/bin/sh", "-c", script, "sh", ...args] as const;
    const run = await this.#start({ argv, cwd: "/", env: OWN_ENV, asRoot });
    const pieces: Uint8Array[] = [];
    const reading = (async () => {
      for await (const { stream, chunk } of run.output) if (stream === "stdout") pieces.push(chunk);
    })();
    const exitCode = await run.exit.finally(() => run.output.end());
    await reading;
    return { exitCode, stdout: Buffer.concat(pieces).toString() };
  }

  #receiptOf({ argv, ids, intent }: CommandRequest, cwd: string): RunReceipt {
    const { label, receipts } = this.#parts;
    const named = { ...ids, thread: label.thread, session: this.id };
    const question = { command: argv, cwd, ids: named, intent: intentForReceipt(intent), look: {} };
    return new RunReceipt(question, receipts);
  }

  #refuseOver(attempt: Attempt): void {
    if (this.#isOver) throw attemptError(STOPPED, attempt);
  }

  #attempt(verb: string, work: Attempt["work"]): Attempt {
    return { verb, thing: this.id, work };
  }
}

function unbegun(error: SessionError, receipt: RunReceipt): SessionError {
  if (error.code === "interrupted") receipt.lose(error.message);
  else receipt.end({ kind: "notStarted", what: "sandbox", reason: error.message });
  return error;
}
