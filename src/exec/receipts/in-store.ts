import { ReceiptStoreError, type ReceiptStoreErrorCode } from "./receipt-store-error.ts";

type Told = readonly [ReceiptStoreErrorCode, string];

const FULL: Told = ["full", "it cannot grow, expected room for more. Free some space on its disk"];
const DAMAGED: Told = [
  "damaged",
  "it is damaged, expected a store of writ's. Move it away with what is called like it, and a new one is made; sqlite3 can .recover what is left of it",
];
const UNUSABLE: Told = [
  "unusable",
  "it cannot be read and written, expected a file and a folder of this user's own",
];

/** By primary result code, see sqlite.org/rescode.html. */
const BY_CODE: Readonly<Record<number, Told>> = {
  3: UNUSABLE,
  5: ["busy", "another process holds it, expected it to be free within seconds. Try again"],
  8: UNUSABLE,
  10: ["unusable", "its disk does not do what it was told, expected one that reads and writes"],
  11: DAMAGED,
  13: FULL,
  14: UNUSABLE,
  26: DAMAGED,
};
/** How else a quota or a limit shows: a failed write, shared memory that cannot be had. */
const NO_ROOM = new Set([778, 4874]);
const CONSTRAINT = 19;

/** Does something with the database, and says in a sentence what came in the way. */
export function inStore<T>(verb: string, file: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const code = sqliteCode(cause);
    if (code === undefined) throw cause;
    const told = toldOf(code);
    if (told === undefined) throw cause;
    throw new ReceiptStoreError(told[0], `Cannot ${verb} "${file}": ${told[1]}`, { cause });
  }
}

/** Whether the database refused a row because there is one like it. */
export function isConstraint(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code & 0xff) === CONSTRAINT;
}

/** Whether somebody else was in the way, which passes. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code & 0xff) === 5;
}

function toldOf(code: number): Told | undefined {
  return NO_ROOM.has(code) ? FULL : BY_CODE[code & 0xff];
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
