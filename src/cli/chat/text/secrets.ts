/**
 * What must not be read off a screen: values of variables that are named like secrets, and
 * words that have the form of a token.
 */
import { NeutralStream } from "./neutral-stream.ts";

/** Stands where a secret was. */
export const REDACTED = "[redacted]";

const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|COOKIE|AUTH|DSN/i;
/** They lead to a secret and are none. */
const PLACE_NAME = /(?:_FILE|_PATH|_DIR|_SOCK|_URL|_ASKPASS|XAUTHORITY|_NAME|_TYPE)$/i;
const SHORTEST = 6;

const FORMS = new RegExp(
  [
    String.raw`\bsk-[\w-]{16,}`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bglpat-[\w-]{16,}`,
    String.raw`\bxox[abeoprs]-[\w-]{10,}`,
    String.raw`\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bhf_[A-Za-z0-9]{20,}`,
    String.raw`\bA(?:KIA|SIA)[0-9A-Z]{16}\b`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bya29\.[\w-]{20,}`,
    // Bounded, since it may begin at every fourth character of a word that is none.
    String.raw`\beyJ[\w-]{8,2048}\.[\w-]{8,}\.[\w-]*`,
    // The password of an address, and nothing that could be a command in one.
    String.raw`(?<=:\/\/[^\s\/:@]{0,64}:)[^\s\/@\x60;|&<>(){}[\]'"\\]+(?=@)`,
  ].join("|"),
  "g",
);

/** The values of variables that are named like secrets, as they are and as they are shown, the longest first. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const found = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && !PLACE_NAME.test(name) ? formsOf(value.trim()) : [],
  );
  return [...new Set(found)].sort((one, other) => other.length - one.length);
}

/** Text is searched after it was made neutral, but for what is asked about. */
function formsOf(value: string): readonly string[] {
  const stream = new NeutralStream();
  const neutral = stream.write(value) + stream.end();
  return [value, neutral.trim()].filter((form) => form.length >= SHORTEST);
}

/** `text` without the secrets in it. */
export function redact(text: string, secrets: readonly string[]): string {
  return withoutValues(text, secrets).replace(FORMS, REDACTED);
}

/** `text` without the values of `secrets`, whatever else in it has the form of one. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}
