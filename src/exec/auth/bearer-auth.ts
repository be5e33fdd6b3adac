/**
 * Who may open a connection: whoever shows the token of this server.
 *
 * The token is a capability known to both sides, or a signed token made with a
 * secret known to both. Bodies of refusals are what clients of this wire expect.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { JWTExpired } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import type { ListenOptions } from "../../rpc/index.ts";
import type { AuthSettings, TokenClaims } from "./auth-flags.ts";
import { readGuardedFile } from "./guarded-file.ts";
import { unusableFile } from "./startup-error.ts";

type Authorize = NonNullable<ListenOptions["authorize"]>;
type Verdict = Awaited<ReturnType<Authorize>>;

/** What is compared with what a client shows. */
export type BearerAuth =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly digest: Buffer }
  | ({ readonly kind: "signedToken"; readonly secret: Uint8Array } & TokenClaims);

const MIN_SECRET_BYTES = 32;

/** Reads what the settings name; throws `StartupError` for a file that is no good. */
export function loadBearerAuth(settings: AuthSettings): BearerAuth {
  switch (settings.kind) {
    case "none":
      return settings;
    case "tokenDigest":
      return { kind: "token", digest: Buffer.from(settings.sha256, "hex") };
    case "tokenFile":
      return { kind: "token", digest: digestOf(readToken(settings.file)) };
    case "signedToken": {
      const { secretFile, ...claims } = settings;
      return { ...claims, secret: readSecret(secretFile) };
    }
  }
}

/** The `authorize` hook of a listener. */
export function createAuthorize(auth: BearerAuth, clock: () => number = Date.now): Authorize {
  if (auth.kind === "none") return () => OK;
  return ({ headersDistinct: { authorization } }) => {
    if (authorization === undefined) return refused("missing websocket bearer token");
    const token = bearerOf(authorization);
    if (token === undefined) return refused("invalid authorization header");
    if (auth.kind === "signedToken") return verifyToken(token, auth, clock);
    if (timingSafeEqual(digestOf(token), auth.digest)) return OK;
    return refused("invalid websocket bearer token");
  };
}

const OK: Verdict = { kind: "ok" };

function refused(body: string): Verdict {
  return { kind: "refused", status: 401, body };
}

/** Two headers could mean one thing here and another to a proxy, so they mean nothing. */
function bearerOf([header = "", ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return undefined;
  return /^bearer +([\x21-\x7e]+)$/i.exec(header)?.[1];
}

async function verifyToken(
  token: string,
  auth: Extract<BearerAuth, { kind: "signedToken" }>,
  clock: () => number,
): Promise<Verdict> {
  const { issuer, audience } = auth;
  try {
    await jwtVerify(token, auth.secret, {
      algorithms: ["HS256"],
      requiredClaims: ["exp"],
      clockTolerance: auth.clockSkewSeconds,
      currentDate: new Date(clock()),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    });
    return OK;
  } catch (error) {
    const expired = error instanceof JWTExpired;
    return refused(expired ? "expired websocket jwt" : "invalid websocket jwt");
  }
}

/** A token that no header can carry would lock everybody out. */
function readToken(file: string): string {
  const token = readGuardedFile(file, "secret");
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw unusableFile(
    file,
    "its token has characters that no header carries, expected visible ASCII",
  );
}

function readSecret(file: string): Uint8Array {
  const secret = Buffer.from(readGuardedFile(file, "secret"));
  if (secret.length >= MIN_SECRET_BYTES) return secret;
  throw unusableFile(
    file,
    `its secret has ${secret.length} bytes, expected at least ${MIN_SECRET_BYTES}`,
  );
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
