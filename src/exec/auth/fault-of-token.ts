import { JWTExpired } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import type { TokenClaims } from "./auth-flags.ts";

/** Tokens signed with a secret that both sides know. */
export interface SignedTokenAuth extends TokenClaims {
  readonly kind: "signedToken";
  readonly secret: Uint8Array;
}

/** Why a signed token lets nobody in, as clients of this wire expect it; nothing for a good one. */
export async function faultOfToken(
  token: string,
  { secret, issuer, audience, clockSkewSeconds }: SignedTokenAuth,
  clock: () => number,
): Promise<string | undefined> {
  try {
    await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      requiredClaims: ["exp"],
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(clock()),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    });
    return undefined;
  } catch (error) {
    return error instanceof JWTExpired ? "expired websocket jwt" : "invalid websocket jwt";
  }
}
