import type { HeldSandbox } from "../lifecycle/sandbox-holder.ts";
import type { FileRequest } from "../provider/provided-sandbox.ts";
import { Refusal } from "../refusal.ts";
import { placeOf } from "../skills/place-of.ts";

export interface TextRequest {
  readonly tool: string;
  readonly path: string;
}

/** A file as text, with its byte order mark if it has one. Throws where it is missing or no text. */
export async function readText(
  { sandbox }: HeldSandbox,
  { tool, path }: TextRequest,
  under: FileRequest,
): Promise<string> {
  const bytes = await sandbox.readFileToBuffer(placeOf(path, sandbox), under);
  if (bytes === null) {
    throw new Refusal("notFound", `Cannot run "${tool}": there is no file "${path}", expected one`);
  }
  return textOf(bytes, { tool, path });
}

/** Bytes as text. Throws where they are none. */
export function textOf(bytes: Uint8Array, { tool, path }: TextRequest): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const problem = `"${path}" is not text, expected UTF-8`;
    throw new Refusal("invalidInput", `Cannot run "${tool}": ${problem}`, { cause });
  }
}
