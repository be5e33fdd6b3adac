import {
  type BoundEntry,
  type BoundProfile,
  isWithin,
  parseAbsolutePath,
} from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { SandboxError } from "../sandbox-error.ts";

/** Throws {@link SandboxError} with the first rule that Seatbelt cannot keep. */
export function refuseUnkept(
  { enforcement, network, limits, files }: BoundProfile,
  facts: FileFacts,
): void {
  if (enforcement !== "managed") {
    throw unkept(`plan a sandbox for an enforcement of "${enforcement}": there is none to build`);
  }
  if (network.kind === "ruled") {
    throw unkept("enforce the network rules: Seatbelt does not filter by domain or method");
  }
  const [limit] = Object.keys(limits ?? {});
  if (limit !== undefined) throw unkept(`enforce the limit "${limit}": Seatbelt has no limits`);
  for (const entry of files.type === "restricted" ? files.entries : []) {
    refuseDevice(entry);
    if (entry.access === "write") refuseLinkedRoot(entry, facts);
  }
}

const DEVICES = parseAbsolutePath("/dev");

/** The devices that every command has are opened apart from the profile. */
function refuseDevice({ path, rule }: BoundEntry): void {
  if (!isWithin(path, DEVICES)) return;
  throw unkept(`enforce ${rule}: the devices below "${DEVICES}" are the same for every command`);
}

/**
 * Seatbelt sees real paths. The system's own links at the top (`/tmp`, `/var`)
 * are followed; a writable root behind any other link would move with it.
 */
function refuseLinkedRoot({ path, rule }: BoundEntry, facts: FileFacts): void {
  const { links, real } = resolvePath(path, facts);
  const deep = links.find(({ at }) => parentOf(at) !== "/");
  if (deep === undefined) return;
  throw new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${rule}: "${path}" leads through the link "${deep.at}" to "${real}", expected a writable root without links`,
  );
}

function unkept(what: string): SandboxError {
  return new SandboxError("unenforceableRule", `Cannot ${what}`);
}
