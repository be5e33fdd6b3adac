/**
 * What sandboxes of the user's threads are to have installed, by the names of the file.
 *
 * Only the names are read here. What they may say is known to whoever installs
 * it, and refused there.
 */
import { malformed, tableOf } from "../table-of.ts";

export type DependencyTable = Readonly<Record<string, unknown>>;

const NAMES: Readonly<Record<string, string>> = {
  npm: "npm",
  postinstall: "postinstall",
  system: "system",
  network: "network",
  registry: "registry",
  epoch: "epoch",
  writable: "writable",
  max_age_hours: "maxAgeHours",
};

/** Reads `[dependencies]`; empty where there is none. */
export function readDependencies(value: unknown, where: string): DependencyTable {
  const table = value === undefined ? {} : tableOf(value, where);
  return Object.fromEntries(
    Object.entries(table).map(([key, one]) => {
      const name = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
      if (name !== undefined) return [name, one];
      const known = Object.keys(NAMES).join(", ");
      throw malformed(where, `unknown key "${key}", expected one of ${known}`);
    }),
  );
}
