/**
 * Receipts that were kept, for a person or as JSON.
 *
 * What is in them comes from strangers: each is one line, without anything that
 * a terminal would obey.
 */
import { openReceiptReader, type ReceiptReader, ReceiptStoreError } from "../exec/index.ts";
import { parseAbsolutePath } from "../policy/index.ts";
import {
  commandText,
  outcomeWord,
  type Receipt,
  renderReceipt,
  visibleLine,
} from "../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "./command.ts";
import { sayNone } from "./help/say-none.ts";
import { ownHome } from "./policy/bind-flags.ts";

const DEFAULT_LIMIT = 20;
const COLUMNS = 80;
/** Enough of the end of an id, which is chance, to tell a few thousand apart. */
const SHOWN_ID = 8;

/** Prints the newest receipts; the answer is the exit status. */
export function listReceipts(flags: FlagValues, world: CliWorld): number {
  const query = { thread: threadOf(flags), limit: limitOf(flags) };
  return reading(world, (receipts) => {
    const found = receipts.list(query);
    if (flags.json) world.out(`${JSON.stringify(found, null, 2)}\n`);
    else if (found.length > 0) world.out(table(found));
    if (found.length > 0) return 0;
    const whose = query.thread === undefined ? "" : ` of thread ${JSON.stringify(query.thread)}`;
    sayNone(`no receipt${whose} is kept`, world);
    return 0;
  });
}

/** Prints one receipt; the answer is the exit status. */
export function showReceipt(id: string | undefined, flags: FlagValues, world: CliWorld): number {
  if (!id) throw new UsageError("Cannot show a receipt: no id was given, expected one");
  const unused = ["thread", "limit"].find((name) => flags[name] !== undefined);
  if (unused !== undefined) throw new UsageError(`Cannot use --${unused} with show`);
  return reading(world, (receipts) => {
    const [found, another] = receipts.idsEndingWith(id.toUpperCase());
    const receipt = found === undefined ? undefined : receipts.get(found);
    if (receipt === undefined)
      return told(world, `Cannot show "${id}": no such receipt is kept`, 1);
    if (another !== undefined) {
      return told(world, `Cannot show "${id}": several ids end so, expected more of one`, 1);
    }
    world.out(flags.json ? `${JSON.stringify(receipt, null, 2)}\n` : renderReceipt(receipt));
    return 0;
  });
}

function threadOf({ thread }: FlagValues): string | undefined {
  if (thread === "") throw new UsageError('Cannot use --thread "": it is empty, expected an id');
  return thread === undefined ? undefined : String(thread);
}

function limitOf({ limit = String(DEFAULT_LIMIT) }: FlagValues): number {
  if (/^[1-9]\d{0,8}$/.test(String(limit))) return Number(limit);
  throw new UsageError(`Cannot use --limit "${limit}": expected a number from 1 on`);
}

function reading(world: CliWorld, read: (receipts: ReceiptReader) => number): number {
  let receipts: ReceiptReader | undefined;
  try {
    receipts = openReceiptReader(parseAbsolutePath(ownHome(world)));
    return read(receipts);
  } catch (error) {
    if (!(error instanceof ReceiptStoreError)) throw error;
    return told(world, error.message, 1);
  } finally {
    receipts?.close();
  }
}

function told(world: CliWorld, message: string, status: number): number {
  world.err(`writ: ${visibleLine(message)}\n`);
  return status;
}

function table(receipts: readonly Receipt[]): string {
  const rows = receipts.map(({ id, startedAt, outcome, enforced, command }) => [
    startedAt.slice(0, 19).replace("T", " "),
    id.slice(-SHOWN_ID),
    outcomeWord(outcome),
    enforced?.tier ?? "-",
    commandText(command),
  ]);
  return [["started (UTC)", "id", "outcome", "tier", "command"], ...rows].map(line).join("");
}

function line([time = "", id = "", outcome = "", tier = "", command = ""]: string[]): string {
  const start = [time.padEnd(19), id.padEnd(SHOWN_ID), outcome.padEnd(11), tier.padEnd(10), ""];
  return `${visibleLine(`${start.join("  ")}${command}`, COLUMNS)}\n`;
}
