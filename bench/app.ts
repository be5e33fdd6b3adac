/**
 * What threads cost: beginning one, having many, and many that work at once.
 *
 * Codex's app-server is measured in turn in the same run. A notification that is
 * missing, or comes twice, is an error and not a figure.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { AppClient, type AppNote } from "./app-client.ts";
import { medianOf, readable } from "./measure.ts";

const STARTS = 201;
const [THREADS, TURNS] = [1_000, 100];

/** Prints medians, ratios and what is resident. */
export async function appBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const ours = await AppClient.ours(base);
  const codex = await AppClient.codex(base);
  const both = codex === undefined ? [ours] : [ours, codex];
  try {
    await starts(both);
    await manyThreads(both);
    await workedIn(ours);
    for (const [text, items] of [
      ["say x", 2],
      ["true", 3],
    ] as const) {
      await turns(ours, text, items);
    }
  } finally {
    await Promise.all(both.map((client) => client.close()));
    rmSync(base, { recursive: true, force: true });
  }
}

async function starts(clients: readonly AppClient[]): Promise<void> {
  const samples = clients.map((): number[] => []);
  for (let round = 0; round <= STARTS; round += 1) {
    for (const [index, client] of clients.entries()) {
      const start = performance.now();
      await client.startThread();
      samples[index]?.push(performance.now() - start);
    }
  }
  // The first one of each loads what the others find.
  const medians = samples.map((times) => medianOf(times.slice(1)));
  for (const [index, { name }] of clients.entries()) {
    line(`thread/start, ${name}`, readable((medians[index] ?? Number.NaN) * 1e6));
  }
  const [own = 0, other] = medians;
  if (other !== undefined) line("  writ : codex", `1 : ${(other / own).toFixed(1)}`);
}

/** As many as there are to be, those included that the starts left. */
async function manyThreads(clients: readonly AppClient[]): Promise<void> {
  for (const client of clients) {
    for (let count = STARTS + 1; count < THREADS; count += 1) await client.startThread();
    line(`${THREADS} threads loaded, ${client.name}`, megabytes(client));
  }
}

/** Only ours has a model that needs nobody else. */
async function workedIn(client: AppClient): Promise<void> {
  const { data } = await client.call("thread/loaded/list", {});
  for (const threadId of data) {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    client.heard = ({ method }) => method === "turn/completed" && resolve();
    await client.call("turn/start", { threadId, input: inputOf("say x") });
    await over;
  }
  line(`  a turn in each of ${data.length}, ${client.name}`, megabytes(client));
}

function megabytes(client: AppClient): string {
  return `${(client.memory() / 1e6).toFixed(0)} MB`;
}

function inputOf(text: string): readonly object[] {
  return [{ type: "text", text, text_elements: [] }];
}

/** Every thread says something at once; each turn must be told from its beginning to its end. */
async function turns(client: AppClient, text: string, items: number): Promise<void> {
  const ids: string[] = [];
  for (let count = 0; count < TURNS; count += 1) ids.push(await client.startThread());
  const notes: AppNote[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  client.heard = (note) => {
    notes.push(note);
    if (note.method !== "turn/completed") return;
    ended += 1;
    if (ended === TURNS) resolve();
  };
  const begin = performance.now();
  const input = inputOf(text);
  const accepted = ids.map((threadId) => client.call("turn/start", { threadId, input }));
  await Promise.all(accepted);
  await over;
  const took = performance.now() - begin;
  // What would come too often comes before the answer to another question.
  await client.call("thread/loaded/list", {});
  for (const id of ids) check(notes, id, items);
  const each = `${readable((took / TURNS) * 1e6)} each, ${notes.length} notifications, none lost`;
  line(`${TURNS} turns at once, "${text}"`, each);
}

function check(notes: readonly AppNote[], threadId: string, items: number): void {
  const own = notes.filter(({ params }) => params.threadId === threadId);
  const count = (method: string) => own.filter((note) => note.method === method).length;
  const idsIn = (method: string) =>
    own.filter((note) => note.method === method).map(({ params }) => params.item.id);
  const [began, completed] = [idsIn("item/started"), idsIn("item/completed")];
  const isWhole =
    count("turn/started") === 1 &&
    count("turn/completed") === 1 &&
    own.every(({ params }) => params.turn?.error == null && params.item?.status !== "failed") &&
    began.join() === completed.join() &&
    new Set(began).size === items &&
    began.length === items;
  if (!isWhole) {
    const told = own.map(({ method }) => method).join(", ");
    throw new Error(`Cannot compare: of the turn of ${threadId} was told: ${told}`);
  }
}

function line(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(34)} ${figure}\n`);
}
