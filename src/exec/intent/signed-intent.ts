/**
 * A request that cannot be changed on its way.
 *
 * Signed is the whole request as it is on the wire, its method included, and not
 * a list of members: what is added to the wire later is covered too. The signature
 * travels in `writ.signed`, which others ignore.
 */
import { type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";

/** A request as it is on the wire. */
export interface WireRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const digits = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const moment = z.int().nonnegative();

/** The published shape of `writ.signed`. One spelling for each value: hexadecimal, lower case. */
export const SignedIntent = z
  .strictObject({
    version: z.literal(1),
    audience: z.string().min(1).max(128).describe("The id of the executor that may act on it."),
    nonce: digits(16).describe("Used once."),
    issuedAt: moment.describe("Milliseconds since 1970."),
    expiresAt: moment.describe("Milliseconds since 1970; at most five minutes after `issuedAt`."),
    key: digits(32).describe("SHA-256 of the public key."),
    signature: digits(64).describe("Ed25519."),
  })
  .meta({ id: "SignedIntent", description: "Who asks for it, of whom, once and until when." });
export type SignedIntent = z.infer<typeof SignedIntent>;

/** What a signer says about a request, before it is signed. */
export type IntentClaims = Omit<SignedIntent, "signature">;

/** Signs a request; returns its params with the signature among them. */
export function signIntent(
  { method, params }: WireRequest,
  claims: IntentClaims,
  key: KeyObject,
): WireRequest["params"] {
  const unsigned = withSigned(params, claims);
  const signature = sign(null, textOf({ method, params: unsigned }), key).toString("hex");
  return withSigned(params, { ...claims, signature });
}

/** Whether `key` signed exactly this request. */
export function isSignedBy(
  { method, params }: WireRequest,
  { signature, ...claims }: SignedIntent,
  key: KeyObject,
): boolean {
  const text = textOf({ method, params: withSigned(params, claims) });
  return verify(null, text, key, Buffer.from(signature, "hex"));
}

function withSigned(params: WireRequest["params"], signed: object): WireRequest["params"] {
  const { writ } = params;
  return { ...params, writ: { ...(isMembers(writ) ? writ : {}), signed } };
}

/** Begins like nothing else that is ever signed with such a key. */
function textOf(request: WireRequest): Buffer {
  return Buffer.from(`writ signed intent\n${JSON.stringify(request, inOrder)}`);
}

/** What `JSON.stringify` leaves out of the wire it leaves out here. */
function inOrder(_: string, value: unknown): unknown {
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
