/** The checks that names and times pass on their way into the store, and how a refusal is said. */
import { z } from "zod";
import { JSON_LIMITS, type JsonLimits } from "../../rpc/index.ts";
import { ThreadStoreError } from "./thread-store-error.ts";

const MOST_CHARACTERS = 4096;

/** More than one message may hold: what came over a wire lies a few levels deeper here. */
export const KEPT_LIMITS: JsonLimits = {
  maxLength: 2 * JSON_LIMITS.maxLength,
  maxDepth: 2 * JSON_LIMITS.maxDepth,
  maxValues: 2 * JSON_LIMITS.maxValues,
};

/** Throws "invalid" for an id that a file would not give back as it is. */
export function checkKeptId(what: string, id: string): void {
  if (id === "" || id.length > MOST_CHARACTERS) {
    throw invalid(what, `its id has ${id.length} characters, expected 1 to ${MOST_CHARACTERS}`);
  }
  if (id.isWellFormed() && !id.includes("\0")) return;
  throw invalid(what, "its id holds NUL or broken Unicode, expected text");
}

/** Throws "invalid" for what is no time. */
export function checkKeptTime(what: string, time: number | null): void {
  if (time === null || (Number.isSafeInteger(time) && time >= 0)) return;
  throw invalid(what, `a time of it is ${time}, expected whole milliseconds from 0 on`);
}

/** For what cannot be kept: `what` names it, `why` says what is and what was expected. */
export function invalid(what: string, why: string, options?: ErrorOptions): ThreadStoreError {
  return new ThreadStoreError("invalid", `Cannot keep ${what}: ${why}`, options);
}

/** Says why a reader refused something, without the words of a library. */
export function whatIsWrong(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const path = cause.issues[0]?.path.join(".") ?? "";
    return path === "" ? "it has another shape" : `its member "${path}" has another shape`;
  }
  return cause instanceof Error ? cause.message : String(cause);
}
