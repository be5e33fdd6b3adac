/**
 * One sandbox of an executor: what it stands on, what runs in it, when it ends.
 *
 * The workspace is the executor's own folder, bound as it is. Whatever is asked
 * of it once it is over fails with `stopped`, whether it was ended here or not.
 */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  CORE_VARIABLES,
  type Executor,
  type RunningProcess,
  type SandboxIntent,
  type ShelfChange,
} from "../../../exec/index.ts";
import { nativeOfUri, type PathUri } from "../../../policy/index.ts";
import { refuseAborted } from "../../refusal.ts";
import { type Attempt, attemptError, type Told, whatOf } from "../attempt.ts";
import { findCommand } from "../find-command.ts";
import type { CommandEnd, CommandRequest } from "../provided-command.ts";
import type { ProcessRequest } from "../provided-process.ts";
import type {
  FileRequest,
  FilesChanged,
  FileToWrite,
  ProvidedSandbox,
} from "../provided-sandbox.ts";
import type { ProvidedShelf } from "../provided-shelf.ts";
import { refuseDomain } from "../refuse-domain.ts";
import { refuseExtension } from "../refuse-extension.ts";
import { nativePath, sandboxPath } from "../sandbox-path.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Ground } from "./ground.ts";
import { Lifetime } from "./lifetime.ts";
import { type CommandParts, LocalCommand } from "./local-command.ts";
import { LocalFiles } from "./local-files.ts";
import { LocalProcess } from "./local-process.ts";
import { attempting, STOPPED } from "./to-session-error.ts";

export interface LocalSandboxParts {
  readonly id: string;
  readonly thread: string;
  readonly executor: Executor;
  readonly ground: Ground;
  readonly workspace: PathUri;
  /** What all that is done in it is held to at most. */
  readonly intent: SandboxIntent;
  readonly boundDigest: string;
  /** Null: it does not end by itself. */
  readonly lifetimeMs: number | null;
}

type Launch = ProcessRequest & Pick<CommandRequest, "stdin">;
type Held = LocalCommand | LocalProcess;

const isCommand = (held: Held): held is LocalCommand => held instanceof LocalCommand;

const WIDER: Told = [
  "forbidden",
  "its policy is not known to be within that of the sandbox, expected one that is",
];

export class LocalSandbox implements ProvidedSandbox {
  readonly id: string;
  readonly thread: string;
  readonly cwd: PathUri;
  readonly boundDigest: string;
  readonly createdAt = Date.now();
  readonly #parts: LocalSandboxParts;
  readonly #files: LocalFiles;
  readonly #lifetime: Lifetime;
  readonly #commands = new Set<Held>();
  readonly #starts = new Set<Promise<unknown>>();
  /** Those that were found to allow no more than the sandbox does. */
  readonly #within = new WeakSet<SandboxIntent>();
  #isOver = false;
  #stopping: Promise<void> | undefined;

  constructor(parts: LocalSandboxParts) {
    const { executor, workspace, ground } = parts;
    this.#parts = parts;
    this.id = parts.id;
    this.thread = parts.thread;
    this.cwd = workspace;
    this.boundDigest = parts.boundDigest;
    const run = (argv: CommandRequest["argv"], under: FileRequest) => this.#runOwn(argv, under);
    const { files } = executor;
    const { id: session, thread } = parts;
    const place = { files, workspace, thread, session, anchor: ground.anchor, run };
    this.#files = new LocalFiles(place, (intent, attempt) => this.#admit(intent, attempt));
    this.#lifetime = new Lifetime(parts.lifetimeMs, () => void this.stop().catch(() => {}));
  }

  get expiresAt(): number | null {
    return this.#lifetime.expiresAt;
  }

  get shelf(): ProvidedShelf | null {
    const shelf = this.#parts.ground.findShelf();
    const path = shelf === null ? undefined : nativeOfUri(shelf);
    if (path === undefined) return null;
    return { path, isGuarded: true, stock: (change, { signal }) => this.#stock(change, signal) };
  }

  get isStopped(): boolean {
    return this.#isOver;
  }

  async probe(signal: AbortSignal): Promise<void> {
    const attempt = this.#attempt("look at", "look");
    this.#refuseOver(attempt);
    await attempting(attempt, () =>
      untilAborted(signal, attempt, () => this.#parts.ground.probe()),
    );
    this.#refuseOver(attempt);
  }

  async digestOf(intent: SandboxIntent): Promise<string> {
    return (await this.#compare(intent, intent)).boundDigest;
  }

  async isWithin(intent: SandboxIntent, base: SandboxIntent): Promise<boolean> {
    return (await this.#compare(intent, base)).isWithin;
  }

  async runCommand(request: CommandRequest): Promise<LocalCommand> {
    const launch = { ...request, envPolicy: CORE_VARIABLES, terminal: null };
    return this.#start(launch, (parts) => new LocalCommand(parts));
  }

  startProcess(request: ProcessRequest): Promise<LocalProcess> {
    return this.#start({ ...request, stdin: "none" }, (parts) => new LocalProcess(parts));
  }

  async getCommand(id: string): Promise<LocalCommand> {
    this.#refuseOver(this.#attempt("look into", "look"));
    return findCommand([...this.#commands].filter(isCommand), id);
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
    this.#refuseOver(this.#attempt("extend", "change"));
    refuseExtension(this.id, ms);
    this.#lifetime.extend(ms);
  }

  /** What could not be ended is tried again by whoever asks again. */
  stop(): Promise<void> {
    this.#isOver = true;
    this.#lifetime.cancel();
    this.#stopping ??= this.#end().catch((error: unknown) => {
      this.#stopping = undefined;
      throw error;
    });
    return this.#stopping;
  }

  async #end(): Promise<void> {
    // What was about to begin sees that it is too late, and is ended by whoever began it.
    await Promise.allSettled(this.#starts);
    const commands = Promise.all([...this.#commands].map((command) => command.abandon()));
    await this.#files.written();
    await attempting(this.#attempt("end", "look"), () => this.#parts.ground.close());
    await commands;
  }

  async #stock(change: ShelfChange, signal: AbortSignal): Promise<void> {
    const attempt = this.#attempt("fill the shelf of", "change");
    this.#refuseOver(attempt);
    refuseAborted(signal, whatOf(attempt));
    await attempting(attempt, () => this.#parts.ground.stock(change));
    this.#refuseOver(attempt);
  }

  async #compare(intent: SandboxIntent, base: SandboxIntent) {
    const attempt = this.#attempt("ask about a policy in", "look");
    this.#refuseOver(attempt);
    return attempting(attempt, () => this.#parts.ground.compare(intent, base));
  }

  /** A command of the provider's own; nobody reads what it prints. */
  async #runOwn(
    argv: CommandRequest["argv"],
    { intent, ids = {} }: FileRequest,
  ): Promise<CommandEnd> {
    const env = { PATH: "/usr/bin:/bin" };
    const own = { cwd: ".", stdin: "none", envPolicy: null, terminal: null } as const;
    const launch = { ...own, argv, env, intent, ids };
    const command = await this.#start(launch, (parts) => new LocalCommand(parts));
    command.output.letGo();
    return command.ended;
  }

  async #start<T extends Held>(launch: Launch, follow: (parts: CommandParts) => T): Promise<T> {
    const starting = this.#startNow(launch, follow);
    this.#starts.add(starting);
    try {
      return await starting;
    } finally {
      this.#starts.delete(starting);
    }
  }

  async #startNow<T extends Held>(launch: Launch, follow: (parts: CommandParts) => T): Promise<T> {
    const { intent } = launch;
    const [name] = launch.argv;
    const attempt: Attempt = { verb: "run", thing: name, work: "change" };
    this.#refuseOver(attempt);
    const cwd = sandboxPath(this.cwd, launch.cwd);
    await this.#demandWithin(intent, attempt);
    this.#refuseOver(attempt);
    const beginning = { ...attempt, folder: nativePath(cwd) };
    const process = await attempting(beginning, () => this.#begin(launch, cwd));
    const command = follow({ process, name, isSandboxThere: () => this.#isThere() });
    if (this.#isOver) {
      await command.abandon();
      throw attemptError(STOPPED, attempt);
    }
    this.#commands.add(command);
    command.ended.finally(() => this.#commands.delete(command)).catch(() => {});
    return command;
  }

  #begin(launch: Launch, cwd: PathUri): Promise<RunningProcess> {
    const { argv, env, envPolicy, terminal, intent, ids, stdin } = launch;
    return this.#parts.executor.start({
      processId: `${this.id}-${randomUUID()}`,
      ...{ argv, arg0: null, cwd, envPolicy, env, terminal },
      pipeStdin: stdin === "pipe",
      sandbox: intent,
      ids: { ...ids, thread: this.thread, session: this.id },
      anchor: this.#parts.ground.anchor,
    });
  }

  async #isThere(): Promise<boolean> {
    if (this.#isOver) return false;
    return this.#parts.ground.probe().then(
      () => true,
      () => false,
    );
  }

  async #admit(intent: SandboxIntent, attempt: Attempt): Promise<void> {
    this.#refuseOver(attempt);
    await this.#demandWithin(intent, attempt);
    this.#refuseOver(attempt);
  }

  async #demandWithin(intent: SandboxIntent, attempt: Attempt): Promise<void> {
    const base = this.#parts.intent;
    if (this.#within.has(intent) || isDeepStrictEqual(intent, base)) return;
    const { isWithin } = await attempting({ ...attempt, work: "look" }, () =>
      this.#parts.ground.compare(intent, base),
    );
    if (!isWithin) throw attemptError(WIDER, attempt);
    this.#within.add(intent);
  }

  #refuseOver(attempt: Attempt): void {
    if (this.#isOver) throw attemptError(STOPPED, attempt);
  }

  #attempt(verb: string, work: Attempt["work"]): Attempt {
    return { verb, thing: this.id, work };
  }
}
