/** A thread in a server that can be killed at any moment, and what must still be true of it afterwards. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { SandboxUser } from "../../support/sandbox-user.ts";
import type { AppClient, Message } from "./app-client.ts";
import { AppLab, type Way } from "./app-lab.ts";

type Wire = NonNullable<Message["result"]>;

/** What a client was told of one turn. */
interface ToldTurn {
  readonly id: string;
  readonly began: readonly Wire[];
  readonly completed: readonly Wire[];
  /** As `turn/completed` had it, if it came. */
  readonly status: string | undefined;
}

/** Waits for something that has to come; the test's own time-out is the end of patience. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

/** The processes that have a text anywhere on their command line. */
export function living(text: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && lineOf(pid).includes(text));
}

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

export class StruckApp {
  readonly lab: AppLab;
  readonly #told: ToldTurn[] = [];
  #client: AppClient | undefined;
  #heard = 0;
  #thread = "";

  /** `config` is the user's own, where there has to be one. */
  constructor(user: SandboxUser, over: Way, config = "") {
    this.lab = new AppLab({ user, over, config });
  }

  get client(): AppClient {
    if (this.#client === undefined) throw new Error("nobody is connected");
    return this.#client;
  }

  get threadId(): string {
    return this.#thread;
  }

  get workspace(): string {
    return this.lab.place.workspace;
  }

  /** What commands wrote of themselves, in order. */
  get ran(): string[] {
    const file = path.join(this.workspace, "ran");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  async begin(): Promise<void> {
    await this.#connect();
    const { thread } = await this.client.ok("thread/start", {
      cwd: this.workspace,
      sandbox: "workspace-write",
      approvalPolicy: "on-request",
    });
    this.#thread = thread.id;
  }

  /** A line that says that it ran and leaves a child, which has the workspace on its command line. */
  script(name: string, rest = "true"): string {
    return `echo ${name} >> ran; sh -c 'sleep 1000; :' ${this.workspace} >/dev/null 2>&1 & echo out-${name}; ${rest}`;
  }

  /** Kills the server and waits until nothing can come from it any more. */
  async strike(): Promise<void> {
    const { client } = this;
    await this.lab.stop("SIGKILL");
    await client.over;
    this.#learn();
  }

  /** Starts another server; all that was told must be in the thread. */
  async resume(): Promise<void> {
    await this.#connect();
    const { thread } = await this.client.ok("thread/resume", { threadId: this.#thread });
    this.#compare(thread.turns);
    expect(await this.#listItems()).toEqual(thread.turns.flatMap(({ items }: Wire) => items));
    expect(thread.status).toEqual({ type: "idle" });
  }

  /** The next turn does what it is told, and clears away what earlier ones left. */
  async goOn(name: string): Promise<void> {
    const { items, turn } = await this.client.turn(this.#thread, `echo ${name} >> ran`);
    const command = items.find(({ type }) => type === "commandExecution");
    expect([turn.status, command?.exitCode]).toEqual(["completed", 0]);
    expect(this.ran.filter((line) => line === name)).toEqual([name]);
    this.#learn();
  }

  /** No process of the place, and nothing in its workspace but what commands made. */
  async expectClean(name: string): Promise<void> {
    const isClean = () => readdirSync(this.workspace).join() === "ran";
    for (let turns = 0; turns < 3 && !isClean(); turns += 1) {
      await this.goOn(`${name}-sweep-${turns}`);
      for (let waits = 0; waits < 500 && !isClean(); waits += 1) await sleep(20);
    }
    expect(readdirSync(this.workspace)).toEqual(["ran"]);
    await until(() => living(this.workspace).length === 0);
  }

  async #connect(): Promise<void> {
    this.#client = await this.lab.client();
    this.#heard = 0;
    this.#client.onAsked = () => ({ result: { decision: "accept" } });
  }

  /** The items page by page. */
  async #listItems(): Promise<Wire[]> {
    const items: Wire[] = [];
    for (let cursor: string | null = null; ; ) {
      const params = { threadId: this.#thread, cursor };
      const page: Wire = await this.client.ok("thread/items/list", params);
      items.push(...page.data.map(({ item }: Wire) => item));
      if (page.nextCursor === null) return items;
      cursor = page.nextCursor;
    }
  }

  /** Remembers what the client was told since it was asked last. */
  #learn(): void {
    const notes = this.client.notes.slice(this.#heard);
    this.#heard = this.client.notes.length;
    const items = (method: string, id: string) =>
      notes
        .filter((note) => note.method === method && note.params.turnId === id)
        .map(({ params }) => params.item);
    for (const { method, params } of notes) {
      if (method !== "turn/started") continue;
      const { id } = params.turn;
      const over = notes.find(
        (one) => one.method === "turn/completed" && one.params.turn.id === id,
      );
      this.#told.push({
        id,
        began: items("item/started", id),
        completed: items("item/completed", id),
        status: over?.params.turn.status,
      });
    }
  }

  #compare(turns: readonly Wire[]): void {
    const ids = turns.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(turns.filter(({ status }) => status === "inProgress")).toEqual([]);
    const told = this.#told.map(({ id }) => id);
    expect(ids.filter((id) => told.includes(id))).toEqual(told);
    for (const one of this.#told)
      compareTurn(
        one,
        turns.find(({ id }) => id === one.id),
      );
  }
}

function compareTurn({ began, completed, status }: ToldTurn, kept: Wire): void {
  if (status !== undefined) expect(kept.status).toBe(status);
  const ids: string[] = kept.items.map(({ id }: Wire) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const announced = began.map(({ id }) => id);
  expect(ids.slice(0, announced.length)).toEqual(announced);
  for (const item of completed) expect(kept.items).toContainEqual(item);
  const open = kept.items.filter((item: Wire) => item.status === "inProgress");
  expect(open).toEqual([]);
}
