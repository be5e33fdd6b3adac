import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A file for one test, with the mode it is asked for. */
export function fileOf(text: string | Uint8Array, mode = 0o600): string {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** A new Ed25519 pair, as keys and as text. */
export function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey, privateKey, publicPem: pemOf(publicKey), privatePem: pemOf(privateKey) };
}

/** The PEM of a key. */
export function pemOf(key: KeyObject): string {
  const type = key.type === "public" ? "spki" : "pkcs8";
  return key.export({ type, format: "pem" }).toString();
}
