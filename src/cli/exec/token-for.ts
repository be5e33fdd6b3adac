import { readBoundedFile } from "../../config/index.ts";
import { UsageError } from "../command.ts";

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** The token of a file, for the server at an address. Throws where there is none, or others could read it. */
export function tokenFor(address: string, file: string): string {
  refuseOpenWay(address);
  const token = readBoundedFile(file)?.trim();
  if (token) return token;
  throw new UsageError(`Cannot use --token-file "${file}": it is empty or not there`);
}

/** A token that travels in the open is everybody's. */
function refuseOpenWay(address: string): void {
  if (!URL.canParse(address)) return;
  const { protocol, hostname } = new URL(address);
  if (protocol !== "ws:" || LOOPBACK.test(hostname)) return;
  throw new UsageError(
    `Cannot send a token to "${address}": others could read it, expected wss:// or this machine`,
  );
}
