import fs from "node:fs";
import { SandboxError } from "../sandbox-error.ts";
import type { HeldOverlay } from "./overlay.ts";

/**
 * Makes sure that each path still leads to its overlay, for whoever works on files in place of a command.
 *
 * A mount moves with its folder: where that is renamed on the host and another one takes its name, the
 * path leads to the host. What is mounted for a command is looked at again in its own list of mounts.
 */
export function checkOverlays(overlays: readonly HeldOverlay[]): void {
  for (const { path, device } of overlays) {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && deviceOf(found.dev) === device) continue;
    throw new SandboxError(
      "backendFailed",
      `Cannot keep writes apart from "${path}": it was moved on the host, expected the folder that the session began with`,
    );
  }
}

/** As a list of mounts writes it; see makedev(3). */
export function deviceOf(dev: number): string {
  const number = BigInt(dev);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn);
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}
