/** What tells one snapshot from another, and whether it grows old. */
import { createHash } from "node:crypto";
import type { DependencyProfile } from "./dependency-profile.ts";

/** Of what is written into the hash; another one makes every snapshot another. */
const VERSION = 1;

/** Names what a profile comes to on a runtime. How old it may be is not part of it. */
export function profileHash(profile: DependencyProfile, runtime: string): string {
  const { npm, postinstall, system, network, registry = null, epoch } = profile;
  const parts = { npm, system, postinstall, network, registry };
  const text = JSON.stringify({ version: VERSION, runtime, epoch, ...parts });
  return createHash("sha256").update(text).digest("hex");
}

const EXACT = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;

/** Whether the same profile may give something else tomorrow: a version that moves, or a command. */
export function isFloating({ npm, postinstall }: DependencyProfile): boolean {
  return postinstall.length > 0 || Object.values(npm).some((version) => !EXACT.test(version));
}

/** What it asks for, a word each: `name@version`, `system:name`, the program of a command. */
export function dependencyWords({ npm, system, postinstall }: DependencyProfile): string[] {
  return [
    ...Object.entries(npm).map(([name, version]) => `${name}@${version}`),
    ...system.map((name) => `system:${name}`),
    ...postinstall.map(([program]) => `run:${program}`),
  ];
}
