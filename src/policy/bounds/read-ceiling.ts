/**
 * Reads a ceiling from the table of a requirements file.
 *
 * The table comes parsed; which file it is and where the machine is called are
 * facts handed in. A ceiling that cannot be read is an error, never no ceiling.
 */
import { z } from "zod";
import { parseGlobTarget } from "../dialects/glob-target.ts";
import { conventionOf } from "../paths/native-path.ts";
import { joinUri } from "../paths/uri-contains.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Entry } from "../profile/entry.ts";
import { readShape } from "../read-shape.ts";
import type { Ceiling } from "./ceiling.ts";

const Modes = z.array(
  z.enum(["read-only", "workspace-write", "danger-full-access", "external-sandbox"]),
);

const Requirements = z.strictObject({
  allowed_sandbox_modes: Modes.optional(),
  remote_sandbox_config: z
    .array(
      z.strictObject({
        hostname_patterns: z.array(z.string().min(1)),
        allowed_sandbox_modes: Modes,
      }),
    )
    .default([]),
  allowed_permission_profiles: z.record(z.string(), z.boolean()).optional(),
  permissions: z
    .strictObject({
      filesystem: z.strictObject({ deny_read: z.array(z.string().min(1)).default([]) }).optional(),
    })
    .optional(),
});

export interface CeilingFacts {
  readonly source: string;
  readonly hostname: string;
  /** Where relative deny paths start. */
  readonly folder: string;
}

/** Reads a requirements table. Throws {@link PolicyError}; read-only must always be allowed. */
export function readCeiling(value: unknown, facts: CeilingFacts): Ceiling {
  const table = readShape(Requirements, value, facts.source);
  const here = table.remote_sandbox_config.find(({ hostname_patterns: patterns }) =>
    patterns.some((pattern) => matchesHost(pattern, facts.hostname)),
  );
  const allowedModes = here?.allowed_sandbox_modes ?? table.allowed_sandbox_modes;
  if (allowedModes !== undefined && !allowedModes.includes("read-only")) {
    throw new PolicyError(
      "malformed",
      `Cannot read "${facts.source}.allowed_sandbox_modes": found ${JSON.stringify(allowedModes)}, expected it to include "read-only"`,
    );
  }
  const profiles = table.allowed_permission_profiles;
  return {
    source: facts.source,
    ...(allowedModes && { allowedModes }),
    ...(profiles && { allowedProfiles: profiles }),
    denies: (table.permissions?.filesystem?.deny_read ?? []).map((text) => forcedDeny(text, facts)),
  };
}

function forcedDeny(text: string, { folder }: CeilingFacts): Entry {
  const absolute = conventionOf(text) !== undefined;
  if (/[*?[\]{}]/.test(text)) {
    return { target: parseGlobTarget(absolute ? text : `${folder}/${text}`), access: "deny" };
  }
  const base = uriOfNative(folder);
  return {
    target: { type: "path", path: absolute ? uriOfNative(text) : joinUri(base, text) },
    access: "deny",
  };
}

/** Host patterns know `*` and `?`, no case and no trailing dot. */
function matchesHost(pattern: string, hostname: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, "");
  const source = plain(pattern)
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`).test(plain(hostname));
}
