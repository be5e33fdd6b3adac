/**
 * The canonical dialect: snake_case, native paths.
 *
 * It travels in MCP metadata and stored threads. The pre-tagged form of old
 * stored threads is read and never written.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { nativeOfUri } from "../paths/native-of-uri.ts";
import { NativePath } from "../paths/native-path.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Entry } from "../profile/entry.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { readShape } from "../read-shape.ts";
import { entrySchema, type PathSpelling } from "./entry-schema.ts";
import { type Extension, profileOfWire, profileSchema, wireOfProfile } from "./profile-schema.ts";

const spelling: PathSpelling = {
  schema: NativePath.transform(asTransform(uriOfNative)),
  write(uri) {
    const path = nativeOfUri(uri);
    if (path !== undefined) return path;
    throw new PolicyError(
      "unrepresentable",
      `Cannot write "${uri}": permission path cannot be represented losslessly`,
    );
  },
};

/** The published shape of a canonical profile. */
export const CanonicalProfile = profileSchema(spelling).meta({
  id: "PermissionProfile",
  description: "What is allowed, with native paths.",
});

const PreTagged = z.strictObject({
  network: z.strictObject({ enabled: z.boolean().nullish() }).nullish(),
  file_system: z
    .union([
      z.strictObject({
        entries: z.array(entrySchema(spelling)).nullish(),
        glob_scan_max_depth: z.int().min(1).nullish(),
      }),
      z.strictObject({
        read: z.array(spelling.schema).nullish(),
        write: z.array(spelling.schema).nullish(),
      }),
    ])
    .nullish(),
});

/** Reads a canonical profile, tagged or pre-tagged. */
export function readCanonicalProfile(
  value: unknown,
  what = "permissionProfile",
): PermissionProfile {
  const tagged = typeof value !== "object" || value === null || Object.hasOwn(value, "type");
  if (tagged) return profileOfWire(readShape(CanonicalProfile, value, what));
  return profileOfPreTagged(readShape(PreTagged, value, what));
}

/** Writes the tagged form. Throws when a path or a rule has no words here. */
export function writeCanonicalProfile(profile: PermissionProfile, extension: Extension) {
  return wireOfProfile(profile, { spelling, extension });
}

function profileOfPreTagged(wire: z.output<typeof PreTagged>): PermissionProfile {
  const fileSystem = wire.file_system ?? {};
  const depth = "glob_scan_max_depth" in fileSystem ? fileSystem.glob_scan_max_depth : undefined;
  return {
    type: "managed",
    fileSystem: {
      type: "restricted",
      entries: preTaggedEntries(fileSystem),
      ...(depth && { globScanMaxDepth: depth }),
    },
    network: { kind: wire.network?.enabled === true ? "enabled" : "restricted" },
  };
}

function preTaggedEntries(
  fileSystem: NonNullable<z.output<typeof PreTagged>["file_system"]>,
): readonly Entry[] {
  if ("entries" in fileSystem) return fileSystem.entries ?? [];
  const lists = fileSystem as Extract<typeof fileSystem, { read?: unknown }>;
  return (["read", "write"] as const).flatMap((access) =>
    (lists[access] ?? []).map((path) => ({ target: { type: "path" as const, path }, access })),
  );
}
