/** An executor that does what a test says: its anchors are names, its processes are written by hand. */
import {
  ExecError,
  type Executor,
  type FileOperations,
  type ProcessEvent,
  type RunningProcess,
  type StartRequest,
} from "../../../../src/exec/index.ts";
import { uriOfNative } from "../../../../src/policy/index.ts";

type Told = ProcessEvent extends infer Event
  ? Event extends ProcessEvent
    ? Omit<Event, "seq">
    : never
  : never;

/** A process whose events a test writes. */
export class ScriptedProcess implements RunningProcess {
  readonly processId: string;
  readonly sandboxType = "linuxSeccomp";
  readonly receiptId = null;
  readonly receipt = Promise.resolve(undefined);
  readonly taken: number[] = [];
  isTerminated = false;
  #events: (Told | Error)[] = [];
  #news = Promise.withResolvers<void>();

  constructor(processId: string) {
    this.processId = processId;
  }

  tell(...events: (Told | Error)[]): void {
    this.#events.push(...events);
    this.#news.resolve();
  }

  print(text: string): void {
    this.tell({ kind: "output", stream: "stdout", chunk: Buffer.from(text) });
  }

  exit(exitCode: number): void {
    this.tell({ kind: "exited", exit: { exitCode, sandboxDenied: false } }, { kind: "closed" });
  }

  get events(): AsyncIterable<ProcessEvent> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<ProcessEvent> {
    for (let seq = 1; ; seq += 1) {
      while (this.#events.length === 0) {
        await this.#news.promise;
        this.#news = Promise.withResolvers();
      }
      const event = this.#events.shift();
      if (event instanceof Error) throw event;
      this.taken.push(seq);
      yield { ...event, seq } as ProcessEvent;
      if (event?.kind === "closed") return;
    }
  }

  write = async () => true;
  closeInput = async () => {};
  resize = async () => {};
  interrupt = async () => {};

  async terminate(): Promise<boolean> {
    if (!this.isTerminated) this.exit(137);
    this.isTerminated = true;
    return true;
  }
}

type Instead = () => Promise<never>;

export interface ScriptedExecutor extends Executor {
  readonly live: Set<string>;
  readonly started: { readonly request: StartRequest; readonly process: ScriptedProcess }[];
  /** Thrown by every call from now on. */
  fault: Error | undefined;
  /** What single calls answer instead. */
  readonly instead: { open?: Instead; compare?: Instead; find?: Instead; readFile?: Instead };
  /** Waited for by every start. */
  gate: Promise<void>;
}

/** Without anchors it is what a server of others is. */
export function scriptedExecutor(more: { readonly anchors: boolean }): ScriptedExecutor {
  const live = new Set<string>();
  const executor: ScriptedExecutor = {
    live,
    started: [],
    fault: undefined,
    instead: {},
    gate: Promise.resolve(),
    anchors: more.anchors ? anchorsOf(live, (name) => look(executor, name)) : undefined,
    files: filesOf(live, (name) => look(executor, name)),
    async start(request) {
      await executor.gate;
      await look(executor, "start");
      if (request.anchor !== null && !live.has(request.anchor)) throw unknownAnchor();
      const process = new ScriptedProcess(request.processId);
      executor.started.push({ request, process });
      return process;
    },
    close: async () => {},
  };
  return executor;
}

async function look({ fault, instead }: ScriptedExecutor, name: string): Promise<void> {
  if (fault !== undefined) throw fault;
  await Object.entries(instead).find(([one]) => one === name)?.[1]();
}

function unknownAnchor(): ExecError {
  return new ExecError("unknownAnchor", "no such anchor");
}

function anchorsOf(
  live: Set<string>,
  look: (name: string) => Promise<void>,
): NonNullable<Executor["anchors"]> {
  const anchor = (anchorId: string) => ({
    anchorId,
    ids: {},
    home: uriOfNative("/home"),
    tmp: uriOfNative("/tmp"),
    shelf: uriOfNative("/shelf"),
    createdAt: 0,
  });
  return {
    async open({ anchorId }) {
      await look("open");
      live.add(anchorId);
      return anchor(anchorId);
    },
    async find(anchorId) {
      await look("find");
      if (!live.has(anchorId)) throw unknownAnchor();
      return anchor(anchorId);
    },
    list: async () => [...live].map(anchor),
    async compare(_, { intent, base }) {
      await look("compare");
      const name = JSON.stringify(intent);
      return { boundDigest: name, isWithin: name === JSON.stringify(base) };
    },
    stock: () => look("stock"),
    async close(anchorId) {
      await look("close");
      return live.delete(anchorId);
    },
  };
}

/** One that only says whether it answers, and whether the anchor lives. */
function filesOf(live: Set<string>, look: (name: string) => Promise<void>): FileOperations {
  const answer = (name: string) => async (at: Parameters<FileOperations["readFile"]>[0]) => {
    await look(name);
    if (at.anchor !== null && !live.has(at.anchor)) throw unknownAnchor();
    return new Uint8Array();
  };
  return new Proxy({} as FileOperations, { get: (_, name) => answer(String(name)) });
}
