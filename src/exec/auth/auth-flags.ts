/**
 * The `--ws-*` flags of an exec-server become settings, or a sentence.
 *
 * Pure. A flag that would have no effect is a mistake of whoever relies on it,
 * so it is refused and never ignored.
 */
import { misusedFlag } from "./startup-error.ts";

export type AuthFlag =
  | "ws-auth"
  | "ws-token-file"
  | "ws-token-sha256"
  | "ws-shared-secret-file"
  | "ws-issuer"
  | "ws-audience"
  | "ws-max-clock-skew-seconds";

export type AuthFlags = { readonly [F in AuthFlag]?: string | undefined };

/** How clients have to show who they are; files are not read yet. */
export type AuthSettings =
  | { readonly kind: "none" }
  | { readonly kind: "tokenFile"; readonly file: string }
  | { readonly kind: "tokenDigest"; readonly sha256: string }
  | ({ readonly kind: "signedToken"; readonly secretFile: string } & TokenClaims);

/** What a signed token has to claim. */
export interface TokenClaims {
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly clockSkewSeconds: number;
}

const TOKEN_FLAGS = ["ws-token-file", "ws-token-sha256"] as const;
const JWT_FLAGS = [
  "ws-shared-secret-file",
  "ws-issuer",
  "ws-audience",
  "ws-max-clock-skew-seconds",
] as const;
const MODES = "--ws-auth capability-token or --ws-auth signed-bearer-token";
const DEFAULT_SKEW = "30";
const MAX_SKEW_SECONDS = 300;

/** Reads the flags, or throws `StartupError`. */
export function readAuthFlags(flags: AuthFlags): AuthSettings {
  refuseEmpty(flags);
  switch (flags["ws-auth"]) {
    case undefined:
      refuseOthers(
        flags,
        [...TOKEN_FLAGS, ...JWT_FLAGS],
        `there is no --ws-auth, expected ${MODES}`,
      );
      return { kind: "none" };
    case "capability-token":
      refuseOthers(flags, JWT_FLAGS, "it needs --ws-auth signed-bearer-token, expected a token");
      return capabilityToken(flags);
    case "signed-bearer-token":
      refuseOthers(flags, TOKEN_FLAGS, "it needs --ws-auth capability-token, expected a secret");
      return signedToken(flags);
    default:
      throw misusedFlag(`--ws-auth ${flags["ws-auth"]}`, `the word is unknown, expected ${MODES}`);
  }
}

function refuseEmpty(flags: AuthFlags): void {
  const empty = (["ws-auth", ...TOKEN_FLAGS, ...JWT_FLAGS] as const).find(
    (flag) => flags[flag]?.trim() === "",
  );
  if (empty !== undefined) throw misusedFlag(`--${empty}`, "its value is empty, expected one");
}

function refuseOthers(flags: AuthFlags, others: readonly AuthFlag[], why: string): void {
  const given = others.find((flag) => flags[flag] !== undefined);
  if (given !== undefined) throw misusedFlag(`--${given}`, why);
}

function capabilityToken(flags: AuthFlags): AuthSettings {
  const { "ws-token-file": file, "ws-token-sha256": sha256 } = flags;
  const expected = "expected exactly one of --ws-token-file and --ws-token-sha256";
  const what = "--ws-auth capability-token";
  if (file !== undefined && sha256 !== undefined)
    throw misusedFlag(what, `both are given, ${expected}`);
  if (file !== undefined) return { kind: "tokenFile", file };
  if (sha256 === undefined) throw misusedFlag(what, `there is no token, ${expected}`);
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    throw misusedFlag("--ws-token-sha256", "it is no SHA-256, expected 64 hexadecimal digits");
  }
  return { kind: "tokenDigest", sha256: sha256.toLowerCase() };
}

function signedToken(flags: AuthFlags): AuthSettings {
  const secretFile = flags["ws-shared-secret-file"];
  if (secretFile === undefined) {
    const why = "there is no secret, expected --ws-shared-secret-file";
    throw misusedFlag("--ws-auth signed-bearer-token", why);
  }
  return {
    kind: "signedToken",
    secretFile,
    issuer: flags["ws-issuer"],
    audience: flags["ws-audience"],
    clockSkewSeconds: skewOf(flags["ws-max-clock-skew-seconds"] ?? DEFAULT_SKEW),
  };
}

function skewOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,4}$/.test(text) && seconds <= MAX_SKEW_SECONDS) return seconds;
  const why = `it is ${JSON.stringify(text)}, expected a number from 0 to ${MAX_SKEW_SECONDS}`;
  throw misusedFlag("--ws-max-clock-skew-seconds", why);
}
