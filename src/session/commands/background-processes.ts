/**
 * Commands that go on after the call that started them.
 *
 * Each has a name, belongs to the sandbox it was started in and counts as work
 * until it ends. Of what it prints beginning and end are kept.
 */
import type { WorkKind } from "../lifecycle/live-work.ts";
import type { ProvidedCommand } from "../provider/provided-command.ts";
import { Refusal } from "../refusal.ts";
import { KeptOutput } from "./kept-output.ts";

export interface BackgroundProcess {
  readonly name: string;
  readonly generation: number;
  readonly startedAt: number;
  /** `lost` is one whose end nobody saw. */
  readonly state: "running" | "exited" | "lost";
  readonly exitCode: number | null;
}

export interface NewBackground {
  readonly name: string;
  readonly generation: number;
  readonly startedAt: number;
  readonly command: ProvidedCommand;
}

interface Kept {
  shown: BackgroundProcess;
  readonly command: ProvidedCommand;
  readonly output: KeptOutput;
  over: Promise<void>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const SIZES = { head: 10_000, tail: 50_000 };
/** How many that are over are remembered. */
const MOST_OVER = 32;

export class BackgroundProcesses {
  readonly #begin: (kind: WorkKind) => () => void;
  readonly #kept = new Map<string, Kept>();
  readonly #reserved = new Set<string>();

  constructor(begin: (kind: WorkKind) => () => void) {
    this.#begin = begin;
  }

  list(): readonly BackgroundProcess[] {
    return [...this.#kept.values()].map(({ shown }) => shown);
  }

  /** Sets a name aside until it is used or given back. Throws where it is taken or no name. */
  reserve(name: string): () => void {
    if (!NAME.test(name)) {
      const expected = "letters, digits, dots, dashes, at most 64";
      throw new Refusal(
        "invalidInput",
        `Cannot start a background process: its name is no name, expected ${expected}`,
      );
    }
    const isRunning = this.#kept.get(name)?.shown.state === "running";
    if (isRunning || this.#reserved.has(name)) {
      throw new Refusal("exists", `Cannot start "${name}": it runs, expected another name`);
    }
    this.#reserved.add(name);
    return () => this.#reserved.delete(name);
  }

  add({ command, ...named }: NewBackground): BackgroundProcess {
    const output = new KeptOutput(SIZES);
    const shown: BackgroundProcess = { ...named, state: "running", exitCode: null };
    const kept: Kept = { shown, command, output, over: Promise.resolve() };
    kept.over = follow(kept).finally(this.#begin("background"));
    this.#kept.delete(named.name);
    this.#kept.set(named.name, kept);
    this.#forgetOld();
    return shown;
  }

  /** What it printed so far, with a line for what is not kept. */
  read(name: string): string {
    const { output } = this.#find(name);
    const gap = (missing: number) => `[${missing} of ${output.total} bytes left out]`;
    return output.render(gap).toString();
  }

  /** Ends one and all it started; nothing where it is over. */
  async kill(name: string): Promise<void> {
    const { shown, command, over } = this.#find(name);
    if (shown.state !== "running") return;
    await command.kill();
    await over;
  }

  #find(name: string): Kept {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const shown = JSON.stringify(name.slice(0, 64));
    throw new Refusal(
      "notFound",
      `Cannot find the background process ${shown}: there is none, expected one that was started`,
    );
  }

  #forgetOld(): void {
    const over = [...this.#kept].filter(([, { shown }]) => shown.state !== "running");
    for (const [name] of over.slice(0, Math.max(0, over.length - MOST_OVER))) {
      this.#kept.delete(name);
    }
  }
}

async function follow(kept: Kept): Promise<void> {
  const { command, output } = kept;
  command.ended.catch(() => {});
  try {
    for await (const { chunk } of command.output) output.add(chunk);
    const { exitCode } = await command.ended;
    kept.shown = { ...kept.shown, state: "exited", exitCode };
  } catch {
    kept.shown = { ...kept.shown, state: "lost" };
  }
}
