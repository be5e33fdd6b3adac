/**
 * Who may open a connection: whoever shows the token of this server.
 *
 * The token is a capability known to both sides, or a signed token made with a
 * secret known to both. Bodies of refusals are what clients of this wire expect.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { ListenOptions } from "../../rpc/index.ts";
import type { AuthSettings } from "./auth-flags.ts";
import type { SignedTokenAuth } from "./fault-of-token.ts";
import { readGuardedFile } from "./guarded-file.ts";
import { unusableFile } from "./startup-error.ts";

type Authorize = NonNullable<ListenOptions["authorize"]>;
type Verdict = Awaited<ReturnType<Authorize>>;

/** What is compared with what a client shows. */
export type BearerAuth =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly digest: Buffer }
  | SignedTokenAuth;

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
    if (auth.kind === "signedToken") return verdictOn(token, auth, clock);
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

/** What reads signed tokens is loaded with the first of them: most servers never see one. */
async function verdictOn(token: string, auth: SignedTokenAuth, clock: () => number) {
  const { faultOfToken } = await import("./fault-of-token.ts");
  const fault = await faultOfToken(token, auth, clock);
  return fault === undefined ? OK : refused(fault);
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
