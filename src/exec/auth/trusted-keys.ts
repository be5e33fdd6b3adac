/**
 * Ed25519 keys of those who may ask for something to be run.
 *
 * A key is named by the digest of its public half, so both sides name it alike
 * without having agreed on anything.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readGuardedFile } from "./guarded-file.ts";
import { unusableFile } from "./startup-error.ts";

/** Public keys by their id. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>;

export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;

/** Reads the public keys of `--trust`: PEM blocks and `#` lines, nothing else. */
export function readTrustedKeys(file: string): TrustedKeys {
  const text = readGuardedFile(file, "trusted").replaceAll(/^#.*$/gm, "");
  const rest = text.replaceAll(BLOCK, "").trim();
  if (rest !== "") {
    throw unusableFile(file, "it has text that belongs to no key, expected PEM blocks and # lines");
  }
  const keys = [...text.matchAll(BLOCK)].map(([pem, label]) => publicKey(pem, label, file));
  if (keys.length === 0) throw unusableFile(file, "it holds no key, expected Ed25519 public keys");
  return new Map(keys.map((key) => [keyId(key), key]));
}

/** Reads the private key of a signer. */
export function readSigningKey(file: string): SigningKey {
  const pem = readGuardedFile(file, "secret");
  const key = keyOf(file, () => createPrivateKey(pem));
  return { id: keyId(createPublicKey(key)), key };
}

/** Names a public key. */
export function keyId(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("hex");
}

/** A private key would do, but has no business on the machine that only checks. */
function publicKey(pem: string, label: string | undefined, file: string): KeyObject {
  if (label === "PUBLIC KEY") return keyOf(file, () => createPublicKey(pem));
  throw unusableFile(file, `it holds a ${label}, expected a PUBLIC KEY`);
}

function keyOf(file: string, read: () => KeyObject): KeyObject {
  const key = orUnusable(file, read);
  if (key.asymmetricKeyType === "ed25519") return key;
  throw unusableFile(file, `its key is of type ${key.asymmetricKeyType}, expected ed25519`);
}

function orUnusable(file: string, read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (cause) {
    throw unusableFile(file, "its key cannot be read, expected an Ed25519 key as PEM", { cause });
  }
}
