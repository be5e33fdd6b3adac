/**
 * What went wrong with a request, in a sentence.
 *
 * Of an error of the SDK only its kind, its status and the provider's own short
 * message are used. It is not kept as a cause: it holds the request.
 */
import { ModelError, type ModelErrorCode } from "../model-error.ts";
import { missingPackage } from "./missing-package.ts";

export interface FailedAsk {
  readonly provider: string;
  readonly model: string;
  /** What must not be told. */
  readonly secrets: readonly string[];
}

const MESSAGE_CHARS = 300;

export function toModelError(error: unknown, ask: FailedAsk): ModelError {
  if (error instanceof ModelError) return error;
  const missing = missingPackage(error);
  if (missing !== undefined) return modelError("rejected", missing, ask);
  const names = [nameOf(error), nameOf(memberOf(error, "cause"))];
  const is = (known: ReadonlySet<string>) => names.some((name) => known.has(name));
  if (is(TOO_LONG)) return modelError("malformed", "the answer is too long", ask);
  const status = memberOf(error, "statusCode");
  if (is(LOST) || (is(ANSWERED) && typeof status !== "number")) {
    return modelError("unavailable", "the connection could not be made or was lost", ask);
  }
  if (is(MISUSED)) return modelError("rejected", `it cannot be asked so${said(error, ask)}`, ask);
  if (is(MALFORMED)) return modelError("malformed", "the answer cannot be read", ask);
  if (is(ANSWERED) && typeof status === "number") return statusError(status, error, ask);
  return modelError("unavailable", `the provider failed${said(error, ask)}`, ask);
}

/** A failure of this request that no error says. */
export function modelError(code: ModelErrorCode, what: string, { provider, model }: FailedAsk) {
  const asked = `model ${JSON.stringify(model)} of provider ${JSON.stringify(provider)}`;
  return new ModelError(code, `Cannot ask ${asked}: ${what}`);
}

const TOO_LONG = new Set(["AnswerTooLong"]);
/** What `fetch` throws, and what the SDK makes of it. */
const LOST = new Set(["TypeError", "SocketError", "AbortError", "TimeoutError"]);
const ANSWERED = new Set(["AI_APICallError"]);
const MALFORMED = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_InvalidStreamPartError",
  "AI_EmptyResponseBodyError",
]);
const MISUSED = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_UnsupportedFunctionalityError",
]);

function statusError(status: number, error: unknown, ask: FailedAsk): ModelError {
  // Providers quote the key that they refuse, or parts of it.
  if (status === 401 || status === 403) {
    return modelError("rejected", `HTTP ${status}, expected a key that the provider takes`, ask);
  }
  if (status >= 200 && status < 300) {
    return modelError("malformed", `HTTP ${status} with an answer that cannot be read`, ask);
  }
  const retry = status === 429 || status === 408 || status === 409 || status >= 500;
  return modelError(retry ? "unavailable" : "rejected", `HTTP ${status}${said(error, ask)}`, ask);
}

/** The provider's own words, short, on one line and without the key. */
function said(error: unknown, { secrets }: FailedAsk): string {
  const open = secrets.reduce((text, one) => text.replaceAll(one, "[key]"), textOf(error));
  const line = open.replace(/[\p{C}\s]+/gu, " ").trim();
  if (line === "") return "";
  return `, ${JSON.stringify(line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS)}…` : line)}`;
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const inner = memberOf(memberOf(error, "response"), "error") ?? memberOf(error, "error") ?? error;
  const message = memberOf(inner, "message");
  return typeof message === "string" ? message : "";
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
