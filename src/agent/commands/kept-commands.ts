/**
 * The commands of a thread that go on, by number.
 *
 * The model has those that outlived their call, the user those that were typed.
 * Each has room of its own: what one of them forgot takes none from the other.
 */
import { randomInt } from "node:crypto";
import type { CommandExecution } from "../turn-item.ts";
import type { RunningCommand } from "./running-command.ts";

type Source = CommandExecution["source"];

/** A command that goes on, for whoever would see it or end it. */
export interface ThreadProcess {
  readonly processId: string;
  /** As it was started. */
  readonly item: CommandExecution;
  /** Counts the processes of the thread, in the order in which they came. */
  readonly order: number;
}

interface Kept {
  readonly command: RunningCommand;
  readonly turn: string;
  readonly order: number;
}

/** Of the model, and of the user. */
const MOST = 64;
const WHOSE = { agent: "the model", userShell: "the user" } as const;

export class KeptCommands {
  readonly #kept = new Map<number, Kept>();
  #count = 0;

  /** Keeps a command, by a number that no other has. */
  add(command: RunningCommand, turn: string): number {
    let id = randomInt(1000, 1_000_000);
    while (this.#kept.has(id)) id = randomInt(1000, 1_000_000);
    this.#count += 1;
    this.#kept.set(id, { command, turn, order: this.#count });
    return id;
  }

  /** One of the model's. What the user typed is not for it to type into, or to end. */
  find(id: number): RunningCommand | undefined {
    const command = this.#kept.get(id)?.command;
    return command?.item.source === "agent" ? command : undefined;
  }

  forget(id: number): void {
    this.#kept.delete(id);
  }

  clear(): void {
    this.#kept.clear();
  }

  /** What the model started in a turn and has not heard the end of. */
  leftBy(turn: string): readonly RunningCommand[] {
    return [...this.#kept.values()]
      .filter((one) => one.turn === turn && one.command.item.source === "agent")
      .map(({ command }) => command);
  }

  /** What is not over. */
  running(): readonly ThreadProcess[] {
    return [...this.#kept]
      .filter(([, { command }]) => command.end === undefined)
      .map(([id, { command, order }]) => ({ processId: String(id), item: command.item, order }));
  }

  /** Ends one of them, with all it started. False where there is none of this number, or its end was not seen. */
  async end(processId: string, why: string): Promise<boolean> {
    const id = Number(processId);
    const command = String(id) === processId ? this.#kept.get(id)?.command : undefined;
    if (command === undefined || command.end !== undefined) return false;
    await command.stop(why);
    return command.end !== undefined;
  }

  /** Throws where there is no room for another; some may be on their way. */
  refuseMany(source: Source, starting: number): void {
    if (this.#sizeOf(source) + starting >= MOST) this.#dropOver();
    if (this.#sizeOf(source) + starting < MOST) return;
    const many = `${MOST} processes of ${WHOSE[source]} go on in this thread`;
    throw new Error(`Cannot run a command: ${many}, expected one of them to end first`);
  }

  #sizeOf(source: Source): number {
    return [...this.#kept.values()].filter(({ command }) => command.item.source === source).length;
  }

  /** One that is over and was not read again is forgotten when there is no room. */
  #dropOver(): void {
    for (const [id, { command }] of this.#kept) {
      if (command.end !== undefined) this.#kept.delete(id);
    }
  }
}
