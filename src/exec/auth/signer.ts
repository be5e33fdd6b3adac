import { randomBytes } from "node:crypto";
import { signIntent, type WireRequest } from "../intent/signed-intent.ts";
import { readSigningKey } from "./trusted-keys.ts";

/** Signs requests to one executor. A request that is sent again is signed again. */
export interface Signer {
  /** The params to send instead. */
  sign(request: WireRequest): WireRequest["params"];
}

export interface SignerOptions {
  /** A private Ed25519 key as PEM, closed to others. */
  readonly keyFile: string;
  /** The id that the executor announces. */
  readonly audience: string;
  /** A minute when absent. */
  readonly lifetimeMs?: number;
  readonly clock?: () => number;
}

/** Reads the key once; throws `StartupError` when it is no good. */
export function createSigner(options: SignerOptions): Signer {
  const { keyFile, audience, lifetimeMs = 60_000, clock = Date.now } = options;
  const { id, key } = readSigningKey(keyFile);
  return {
    sign(request) {
      const issuedAt = clock();
      const nonce = randomBytes(16).toString("hex");
      const expiresAt = issuedAt + lifetimeMs;
      return signIntent(
        request,
        { version: 1, audience, nonce, issuedAt, expiresAt, key: id },
        key,
      );
    },
  };
}
