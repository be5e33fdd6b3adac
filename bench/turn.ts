/**
 * What a turn costs besides its model: one that only talks, and one that runs a command in its sandbox.
 *
 * Codex's app-server has the same turns of the same model in the same run, and so has, where no
 * command is run, what lies under ours: the package that asks models. A turn whose command did not
 * end well is an error and not a figure.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppClient } from "./app-client.ts";
import { instantModel } from "./instant-model.ts";
import { medianOf, readable } from "./measure.ts";

const ROUNDS = 41;
/** After each turn: what a server still does behind one is no part of what is measured next. */
const SETTLE_MS = 150;
/** Turns of a thread before the next one is begun, so that none grows long. */
const TURNS_OF_A_THREAD = 20;

interface Kind {
  readonly name: string;
  readonly text: string;
  /** How many commands a turn has. */
  readonly commands: number;
  /** Each in a thread of its own. */
  readonly isFirst?: true;
  /** How many turns each server has had before. */
  readonly after?: number;
  /** After each turn; {@link SETTLE_MS} when absent. */
  readonly settleMs?: number;
}

const KINDS: readonly Kind[] = [
  { name: "a turn without a tool", text: "talk", commands: 0 },
  { name: "a turn with a command", text: "run", commands: 1 },
  { name: "  the first of its thread", text: "run", commands: 1, isFirst: true },
  { name: "a turn without a tool, later", text: "talk", commands: 0, after: 1000 },
  { name: "a turn behind those of the others", text: "talk", commands: 0, settleMs: 0 },
];

/** Prints medians and ratios. */
export async function turnBench(): Promise<void> {
  const base = mkdtempSync("/var/tmp/writ-bench-");
  const model = await instantModel();
  for (const name of ["writ", "codex"]) configure(path.join(base, name, "home"), model.url);
  const ours = await AppClient.ours(base);
  const codex = await AppClient.codex(base);
  const both = codex === undefined ? [ours] : [ours, codex];
  const bare = await AppClient.bare(base, model.url);
  try {
    for (const kind of KINDS) await compare(kind.commands === 0 ? [...both, bare] : both, kind);
  } finally {
    await Promise.all([...both, bare].map((client) => client.close()));
    model.close();
    rmSync(base, { recursive: true, force: true });
  }
}

function configure(home: string, url: string): void {
  mkdirSync(home, { recursive: true });
  const settings = `model = "gpt-5.5"
model_provider = "instant"
[model_providers.instant]
name = "instant"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
  writeFileSync(path.join(home, "config.toml"), settings);
}

async function compare(clients: readonly AppClient[], kind: Kind): Promise<void> {
  for (const client of clients) await work(client, kind);
  const threads = await Promise.all(clients.map((client) => client.startThread()));
  const samples = clients.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, client] of clients.entries()) {
      const kept = threads[index] ?? "";
      const threadId = kind.isFirst ? await client.startThread() : kept;
      samples[index]?.push(await turn(client, threadId, kind));
      await sleep(kind.settleMs ?? SETTLE_MS);
    }
  }
  // The first one of each loads what the others find.
  const medians = samples.map((times) => medianOf(times.slice(1)));
  print(kind, new Map(clients.map(({ name }, index) => [name, medians[index] ?? Number.NaN])));
}

function print({ name: kind }: Kind, medians: ReadonlyMap<string, number>): void {
  for (const [name, median] of medians) line(`${kind}, ${name}`, readable(median * 1e6));
  const other = medians.get("codex");
  if (other === undefined) return;
  for (const name of ["writ", "bare"]) {
    const own = medians.get(name);
    if (own !== undefined) line(`  ${name} : codex`, `1 : ${(other / own).toFixed(1)}`);
  }
}

/** The engine of ours compiles what it runs often; a server that has run for a while is another one. */
async function work(client: AppClient, kind: Kind): Promise<void> {
  let threadId = "";
  for (let done = 0; done < (kind.after ?? 0); done += 1) {
    if (done % TURNS_OF_A_THREAD === 0) threadId = await client.startThread();
    await turn(client, threadId, kind);
  }
}

/** From the request to the news that it is over, in milliseconds. */
async function turn(client: AppClient, threadId: string, kind: Kind): Promise<number> {
  const { promise: over, resolve } = Promise.withResolvers<string>();
  let commands = 0;
  client.heard = ({ method, params }) => {
    if (params?.threadId !== threadId) return;
    const isCommand = method === "item/completed" && params.item.type === "commandExecution";
    if (isCommand && params.item.exitCode === 0) commands += 1;
    if (method === "turn/completed") {
      resolve(params.turn.error?.message ?? params.turn.status);
    }
  };
  const input = [{ type: "text", text: kind.text, text_elements: [] }];
  const start = performance.now();
  await client.call("turn/start", { threadId, input });
  const status = await over;
  const took = performance.now() - start;
  if (status === "completed" && commands === kind.commands) return took;
  throw new Error(
    `Cannot compare: a turn of ${client.name} ended as ${status} with ${commands} good commands`,
  );
}

function line(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(34)} ${figure}\n`);
}
