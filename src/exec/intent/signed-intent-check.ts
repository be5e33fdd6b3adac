/**
 * Lets a signed request through once, on the executor it is for.
 *
 * The signature is checked before anything it covers is believed, and the nonce
 * is used up last: only whoever is trusted can make the memory of nonces grow.
 */
import type { TrustedKeys } from "../auth/trusted-keys.ts";
import { UsedNonces } from "../auth/used-nonces.ts";
import { ExecError, type ExecErrorCode } from "../exec-error.ts";
import { isSignedBy, SignedIntent, type WireRequest } from "./signed-intent.ts";

export interface SignedIntentOptions {
  readonly keys: TrustedKeys;
  /** The id of this executor, another one at every start: nonces are not remembered longer. */
  readonly audience: string;
  /** What becomes of a request without a signature. */
  readonly unsigned: "allowed" | "refused";
  readonly clock?: () => number;
  readonly nonces?: UsedNonces;
}

/** Returns what was signed, nothing for an unsigned request that may be; throws {@link ExecError}. */
export type SignedIntentCheck = (request: WireRequest) => SignedIntent | undefined;

/** How long a signature may be good for. */
const MAX_LIFETIME_MS = 5 * 60_000;
const SKEW_MS = 30_000;

/** Starts to check requests: what was signed before this is refused. */
export function createSignedIntentCheck(options: SignedIntentOptions): SignedIntentCheck {
  const { clock = Date.now, nonces = new UsedNonces() } = options;
  const startedAt = clock();
  return (request) => {
    const signed = readSigned(request, options.unsigned);
    if (signed === undefined) return undefined;
    const now = clock();
    verifyIntent({ request, signed }, { ...options, startedAt, now });
    const until = signed.expiresAt + SKEW_MS;
    refuseReplay(nonces.use(`${signed.key}:${signed.nonce}`, until, now));
    return signed;
  };
}

interface Circumstances extends Pick<SignedIntentOptions, "keys" | "audience"> {
  readonly startedAt: number;
  readonly now: number;
}

interface SignedRequest {
  readonly request: WireRequest;
  readonly signed: SignedIntent;
}

/** Pure: throws unless the request is as a trusted key signed it, for this executor and for now. */
function verifyIntent({ request, signed }: SignedRequest, facts: Circumstances): void {
  const key = facts.keys.get(signed.key);
  if (key === undefined) throw refusal("its key is not trusted, expected one of --trust");
  if (!isSignedBy(request, signed, key)) {
    throw refusal("the signature is not of this request, expected the request as it was signed");
  }
  if (signed.audience !== facts.audience) {
    throw refusal(`it is for ${JSON.stringify(signed.audience)}, expected "${facts.audience}"`);
  }
  const problem = timeProblem(signed, facts);
  if (problem !== undefined) throw refusal(problem);
}

function timeProblem(
  { issuedAt, expiresAt }: SignedIntent,
  { startedAt, now }: Circumstances,
): string | undefined {
  const lifetime = expiresAt - issuedAt;
  if (lifetime <= 0 || lifetime > MAX_LIFETIME_MS) {
    return `it is good for ${lifetime} ms, expected at most ${MAX_LIFETIME_MS}`;
  }
  if (expiresAt + SKEW_MS < now) return "it has expired, expected one that has not";
  if (issuedAt - SKEW_MS > now) return "it was signed in the future, expected clocks that agree";
  if (issuedAt + SKEW_MS < startedAt) {
    return "it was signed before this server started, expected one signed since";
  }
  return undefined;
}

function readSigned(
  { params }: WireRequest,
  unsigned: SignedIntentOptions["unsigned"],
): SignedIntent | undefined {
  const found = memberOf(memberOf(params, "writ"), "signed");
  if (found === undefined) {
    if (unsigned === "allowed") return undefined;
    throw refusal("it is not signed, expected a signature of a trusted key");
  }
  const read = SignedIntent.safeParse(found);
  if (read.success) return read.data;
  const [member = "it"] = read.error.issues[0]?.path ?? [];
  throw refusal(`"${String(member)}" is malformed, expected a signature`, "invalidRequest");
}

/** A `writ` that is no object has no members, and is not what was signed. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function refuseReplay(use: ReturnType<UsedNonces["use"]>): void {
  if (use === "used") throw refusal("it was used before, expected a new signature");
  if (use === "full") throw refusal("too many signatures are in use, expected fewer at a time");
}

function refusal(why: string, code: ExecErrorCode = "notAllowed"): ExecError {
  return new ExecError(code, `Cannot accept "writ.signed": ${why}`, { field: "writ.signed" });
}
