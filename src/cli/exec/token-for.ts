import { readBoundedFile } from "../../config/index.ts";
import { openWayTo } from "../../exec/index.ts";
import { UsageError } from "../command.ts";

/** The token of a file, for the server at an address. Throws where there is none, or others could read it. */
export function tokenFor(address: string, file: string): string {
  const open = openWayTo(address);
  if (open !== undefined) throw new UsageError(open);
  const token = readBoundedFile(file)?.trim();
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`Cannot use --token-file "${file}": ${lackOf(token)}, expected a token`);
}

function lackOf(token: string | undefined): string {
  if (token === undefined) return "there is no such file";
  return token === "" ? "it is empty" : "it holds more than that";
}
