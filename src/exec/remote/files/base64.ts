import { ExecError } from "../../exec-error.ts";

/** Bytes as they are on the wire. */
export function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** What came is no bytes. */
export function notBase64(why: string): ExecError {
  return new ExecError("untrustedServer", `Cannot read the bytes of a file: ${why}`);
}
