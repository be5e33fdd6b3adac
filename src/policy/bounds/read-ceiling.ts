/**
 * Reads a ceiling from the table of a requirements file.
 *
 * The table comes parsed; which file it is and where the machine is called are
 * facts handed in. A ceiling that cannot be read is an error, never no ceiling.
 */

import { z } from "zod";
import { escapeGlob, isPattern } from "../access/glob.ts";
import { matchesName, type NameToken } from "../access/name-pattern.ts";
import { parseGlobTarget } from "../dialects/glob-target.ts";
import { memberName } from "../member-name.ts";
import { joinUri } from "../paths/join-uri.ts";
import { conventionOf } from "../paths/native-path.ts";
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
  default_permissions: z.string().min(1).optional(),
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
  /** Every profile that exists, so that a list cannot name one that does not. */
  readonly profiles: readonly string[];
}

/** Reads a requirements table. Throws {@link PolicyError}; read-only must always be allowed. */
export function readCeiling(value: unknown, facts: CeilingFacts): Ceiling {
  const table = readShape(Requirements, value, facts.source);
  const here = table.remote_sandbox_config.find(({ hostname_patterns: patterns }) =>
    patterns.some((pattern) => matchesHost(pattern, facts.hostname)),
  );
  const allowedModes = here?.allowed_sandbox_modes ?? table.allowed_sandbox_modes;
  if (allowedModes !== undefined && !allowedModes.includes("read-only")) {
    const what = `found ${JSON.stringify(allowedModes)}, expected it to include "read-only"`;
    throw ceilingError(facts, "allowed_sandbox_modes", what);
  }
  const profiles = table.allowed_permission_profiles;
  const defaultProfile = defaultOf(table, facts);
  return {
    source: facts.source,
    ...(allowedModes && { allowedModes }),
    ...(profiles && { allowedProfiles: profiles }),
    ...(defaultProfile !== undefined && { defaultProfile }),
    denies: (table.permissions?.filesystem?.deny_read ?? []).map((text) => forcedDeny(text, facts)),
  };
}

/** A list of profiles needs a default that it allows; the two built-in ones bring theirs. */
function defaultOf(table: z.output<typeof Requirements>, facts: CeilingFacts): string | undefined {
  const { allowed_permission_profiles: allowed, default_permissions: chosen } = table;
  if (allowed === undefined) {
    if (chosen === undefined) return undefined;
    throw ceilingError(facts, "default_permissions", "no allowed_permission_profiles beside it");
  }
  const stranger = Object.keys(allowed).find((id) => !facts.profiles.includes(id));
  if (stranger !== undefined) {
    throw ceilingError(
      facts,
      "allowed_permission_profiles",
      `profile "${stranger}" does not exist`,
    );
  }
  const implied = allowed[":workspace"] && allowed[":read-only"] ? ":workspace" : undefined;
  const id = chosen ?? implied;
  if (id === undefined || allowed[id] !== true) {
    throw ceilingError(
      facts,
      "default_permissions",
      `${id ?? "nothing"} is not an allowed profile`,
    );
  }
  return id;
}

function ceilingError({ source }: CeilingFacts, member: string, what: string): PolicyError {
  return new PolicyError("malformed", `Cannot read "${memberName(source, member)}": ${what}`);
}

/** Relative places start at the file's own folder, which means itself whatever it is called. */
function forcedDeny(text: string, facts: CeilingFacts): Entry {
  const absolute = conventionOf(text) !== undefined;
  if (!absolute && /^(~|[A-Za-z0-9+.-]*:)/.test(text)) {
    const what = `"${text}" names a place elsewhere, expected an absolute path or one below "${facts.folder}"`;
    throw ceilingError(facts, "permissions.filesystem.deny_read", what);
  }
  if (isPattern(text)) {
    const pattern = absolute ? text : `${escapeGlob(facts.folder)}/${text}`;
    return { target: parseGlobTarget(pattern), access: "deny" };
  }
  const path = absolute ? uriOfNative(text) : joinUri(uriOfNative(facts.folder), text);
  return { target: { type: "path", path }, access: "deny" };
}

/** Host patterns know `*` and `?`, no case and no trailing dot. */
function matchesHost(pattern: string, hostname: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, "");
  const tokens = [...plain(pattern)].map((char): NameToken => {
    if (char === "*") return { kind: "star" };
    return char === "?" ? { kind: "any" } : { kind: "char", char };
  });
  return matchesName(tokens, plain(hostname));
}
