/**
 * The `[permissions.NAME]` form of a configuration file.
 *
 * These are the words people write. Every key that is not known is refused: in
 * a policy, a key that does nothing is a rule somebody believes in.
 */
import { z } from "zod";
import type { Limits } from "../profile/limits.ts";
import { LIMIT_NAMES } from "../profile/stricter-limits.ts";
import { UnixSockets } from "../profile/unix-sockets.ts";
import { readShape } from "../read-shape.ts";

const Word = z.enum(["read", "write", "deny", "none"]);
const Verdict = z.enum(["allow", "deny"]);

const FileDepth = z.looseObject({ glob_scan_max_depth: z.int().min(1).optional() });
const FileRules = z.record(z.string(), z.union([Word, z.record(z.string(), Word)]));

const limitKeys = LIMIT_NAMES.map((name) => [snakeCase(name), z.int().positive().optional()]);

const ProfileTable = z.strictObject({
  description: z.string().optional(),
  extends: z.string().min(1).optional(),
  workspace_roots: z.record(z.string().min(1), z.boolean()).optional(),
  filesystem: z.unknown().optional(),
  network: z
    .strictObject({
      enabled: z.boolean().optional(),
      mode: z.enum(["full", "limited"]).optional(),
      allow_local_binding: z.boolean().optional(),
      ports: z.array(z.int().min(1).max(65_535)).optional(),
      domains: z.record(z.string(), Verdict).optional(),
      unix_sockets: z.record(z.string(), Verdict).optional(),
      unix_socket_access: UnixSockets.optional(),
    })
    .optional(),
  limits: z.strictObject(Object.fromEntries(limitKeys)).optional(),
});

export type ProfileTable = Omit<z.output<typeof ProfileTable>, "filesystem" | "limits"> & {
  readonly filesystem?: z.output<typeof FileRules>;
  readonly globScanMaxDepth?: number;
  readonly limits?: Limits;
};

/** Reads one profile table; `what` is how errors call it, for example `permissions.dev`. */
export function readProfileTable(value: unknown, what: string): ProfileTable {
  const { filesystem, limits, ...table } = readShape(ProfileTable, value, what);
  const files = filesystem === undefined ? {} : readFiles(filesystem, `${what}.filesystem`);
  return { ...table, ...files, ...(limits && { limits: camelLimits(limits) }) };
}

/** The depth stands among the paths, so it is taken out before they are read. */
function readFiles(value: unknown, what: string) {
  const { glob_scan_max_depth: depth, ...paths } = readShape(FileDepth, value, what);
  const filesystem = readShape(FileRules, paths, what);
  return depth === undefined ? { filesystem } : { filesystem, globScanMaxDepth: depth };
}

function camelLimits(limits: Record<string, unknown>): Limits {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const value = limits[snakeCase(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
