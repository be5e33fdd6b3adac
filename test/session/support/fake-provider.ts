/** A provider that does what a test says, and remembers what it was asked. */
import type { SandboxIntent, ShelfChange } from "../../../src/exec/index.ts";
import { PathUri } from "../../../src/policy/index.ts";
import type { CommandRequest } from "../../../src/session/provider/provided-command.ts";
import type {
  ProcessRequest,
  ProvidedProcess,
} from "../../../src/session/provider/provided-process.ts";
import type {
  DirEntry,
  FileToWrite,
  ProvidedSandbox,
} from "../../../src/session/provider/provided-sandbox.ts";
import type { ProvidedShelf } from "../../../src/session/provider/provided-shelf.ts";
import type {
  CreateRequest,
  SandboxProvider,
} from "../../../src/session/provider/sandbox-provider.ts";
import { SessionError } from "../../../src/session/session-error.ts";
import { FakeProcess } from "../../agent/support/fake-executor.ts";
import { type CommandScript, FakeCommand } from "./fake-command.ts";

/** An intent by its rank: a lower one lies within a higher one. */
export function intentOf(rank: number): SandboxIntent {
  return { kind: "waived", by: "test", reason: String(rank) };
}

const rankOf = (intent: SandboxIntent) => (intent.kind === "waived" ? Number(intent.reason) : -1);
const digestOf = (intent: SandboxIntent) => `digest-${rankOf(intent)}`;

export const over = () =>
  new SessionError("stopped", "HTTP 410 https://provider.test sandbox_stopped");

/** A process that a test prints into and ends. */
export class StartedFake extends FakeProcess implements ProvidedProcess {
  readonly request: ProcessRequest;
  readonly #over = Promise.withResolvers<void>();
  readonly ended = this.#over.promise;

  constructor(request: ProcessRequest, processId: string) {
    super({ processId, terminal: request.terminal });
    this.request = request;
  }

  override exit(...end: Parameters<FakeProcess["exit"]>): this {
    this.#over.resolve();
    return super.exit(...end);
  }
}

export class FakeSandbox implements ProvidedSandbox {
  readonly id: string;
  readonly cwd = PathUri.parse("file:///work");
  readonly boundDigest: string;
  readonly expiresAt = null;
  readonly commands: CommandRequest[] = [];
  readonly running: FakeCommand[] = [];
  readonly processes: StartedFake[] = [];
  readonly files = new Map<string, Buffer>();
  readonly modes = new Map<string, number | undefined>();
  readonly intents: SandboxIntent[] = [];
  readonly extended: number[] = [];
  /** What was asked of its shelf, in order. */
  readonly stocked: ShelfChange[] = [];
  shelf: ProvidedShelf | null = {
    ...{ path: "/shelf", isGuarded: true },
    stock: async (change) => {
      this.#meet("file");
      this.stocked.push(change);
      if (change.isEmptied) this.#unshelve(() => true);
      this.#unshelve((path) => change.remove.includes(path));
      for (const { path, content } of change.write) {
        this.files.set(`/shelf/${path}`, Buffer.from(content));
      }
    },
  };
  entries: DirEntry[] = [];
  script: (request: CommandRequest) => CommandScript = () => ({});
  probes = 0;
  stops = 0;
  /** What the next probes, commands, files, extensions or stops throw, in turn. */
  readonly faults: Record<"probe" | "run" | "file" | "extend" | "stop", unknown[]> = {
    ...{ probe: [], run: [], file: [], extend: [], stop: [] },
  };
  isDead = false;

  constructor(id: string, boundDigest: string) {
    this.id = id;
    this.boundDigest = boundDigest;
  }

  async probe(): Promise<void> {
    this.probes += 1;
    this.#meet("probe");
  }

  async digestOf(intent: SandboxIntent): Promise<string> {
    return digestOf(intent);
  }

  async isWithin(intent: SandboxIntent, base: SandboxIntent): Promise<boolean> {
    return rankOf(intent) <= rankOf(base);
  }

  async runCommand(request: CommandRequest): Promise<FakeCommand> {
    this.#meet("run");
    this.commands.push(request);
    this.intents.push(request.intent);
    const command = new FakeCommand(`${this.id}-${this.commands.length}`, this.script(request));
    this.running.push(command);
    return command;
  }

  async startProcess(request: ProcessRequest): Promise<StartedFake> {
    this.#meet("run");
    this.intents.push(request.intent);
    const process = new StartedFake(request, `${this.id}-p${this.processes.length + 1}`);
    this.processes.push(process);
    return process;
  }

  async getCommand(id: string): Promise<never> {
    throw new SessionError("notFound", `HTTP 404 ${id}`);
  }

  async domain(port: number): Promise<never> {
    throw new SessionError("unsupported", `no route for ${port}`);
  }

  async remove(paths: readonly string[], { intent }: { intent: SandboxIntent }) {
    this.#meet("file");
    this.intents.push(intent);
    for (const path of paths) {
      if (!this.files.delete(path)) throw new SessionError("notFound", "HTTP 404 no such file");
    }
    return { receiptId: null };
  }

  async mkDir(): Promise<void> {
    this.#meet("file");
  }

  async writeFiles(files: readonly FileToWrite[], { intent }: { intent: SandboxIntent }) {
    this.#meet("file");
    this.intents.push(intent);
    for (const { path, content, mode } of files) {
      this.files.set(path, Buffer.from(content));
      this.modes.set(path, mode);
    }
    return { receiptId: null };
  }

  async readFileToBuffer(path: string, { intent }: { intent: SandboxIntent }) {
    this.#meet("file");
    this.intents.push(intent);
    return this.files.get(path) ?? null;
  }

  async listDir(): Promise<readonly DirEntry[]> {
    this.#meet("file");
    return this.entries;
  }

  async extendTimeout(ms: number): Promise<void> {
    this.extended.push(ms);
    this.#meet("extend");
  }

  async stop(): Promise<void> {
    this.stops += 1;
    const fault = this.faults.stop.shift();
    if (fault !== undefined) throw fault;
    this.die();
  }

  /** Ends with all that runs in it. */
  die(): void {
    this.isDead = true;
    for (const command of this.running) {
      command.fail(new SessionError("interrupted", "stream https://provider.test ended early"));
    }
  }

  #unshelve(isGone: (path: string) => boolean): void {
    for (const path of this.files.keys()) {
      if (path.startsWith("/shelf/") && isGone(path.slice("/shelf/".length))) {
        this.files.delete(path);
      }
    }
  }

  #meet(kind: keyof FakeSandbox["faults"]): void {
    const fault = this.faults[kind].shift();
    if (fault !== undefined) throw fault;
    if (this.isDead) throw over();
  }
}

export class FakeProvider implements SandboxProvider {
  readonly name = "fake";
  keepsWorkspace = true;
  snapshots: SandboxProvider["snapshots"];
  readonly made: FakeSandbox[] = [];
  readonly created: CreateRequest[] = [];
  readonly found: string[] = [];
  /** What the next `create` or `get` throws, in turn. */
  readonly faults: Record<"create" | "get", unknown[]> = { create: [], get: [] };
  /** Waited for by `create`. */
  gate: Promise<void> = Promise.resolve();
  onCreate: (sandbox: FakeSandbox) => void = () => {};

  async create(request: CreateRequest): Promise<FakeSandbox> {
    this.created.push(request);
    await this.gate;
    const fault = this.faults.create.shift();
    if (fault !== undefined) throw fault;
    return this.put(`sbx_${this.made.length + 1}`, request.intent);
  }

  /** One that is there already. */
  put(id: string, intent: SandboxIntent): FakeSandbox {
    const sandbox = new FakeSandbox(id, digestOf(intent));
    this.made.push(sandbox);
    this.onCreate(sandbox);
    return sandbox;
  }

  async get(id: string): Promise<FakeSandbox> {
    this.found.push(id);
    const fault = this.faults.get.shift();
    if (fault !== undefined) throw fault;
    const sandbox = this.made.find((one) => one.id === id);
    if (sandbox === undefined) throw new SessionError("missing", "HTTP 404 https://provider.test");
    return sandbox;
  }

  async list() {
    return [];
  }

  /** The one that was made as number `number`, from 1. */
  at(number: number): FakeSandbox {
    const sandbox = this.made[number - 1];
    if (sandbox === undefined) throw new Error(`sandbox ${number} was not made`);
    return sandbox;
  }

  get alive(): readonly string[] {
    return this.made.filter(({ isDead }) => !isDead).map(({ id }) => id);
  }
}
