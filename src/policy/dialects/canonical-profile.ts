/**
 * The canonical dialect: snake_case, native paths.
 *
 * It travels in MCP metadata and stored threads. The pre-tagged form of old
 * stored threads is read and never written.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { nativeOfUri } from "../paths/native-of-uri.ts";
import type { PathUri } from "../paths/path-uri.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { Entry } from "../profile/entry.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";
import { readShape } from "../read-shape.ts";
import { NativePath } from "../schemas/native-path.ts";
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
  file_system: z.unknown().optional(),
});

const PreTaggedEntries = z.strictObject({
  entries: z.array(entrySchema(spelling)).nullish(),
  glob_scan_max_depth: z.int().min(1).nullish(),
});

const paths = z.array(spelling.schema).nullish();
const PreTaggedLists = z.strictObject({ read: paths, write: paths });

/** Reads a canonical profile, tagged or pre-tagged. */
export function readCanonicalProfile(
  value: unknown,
  what = "permissionProfile",
): PermissionProfile {
  const tagged = typeof value !== "object" || value === null || Object.hasOwn(value, "type");
  if (tagged) return profileOfWire(readShape(CanonicalProfile, value, what));
  const { network, file_system: fileSystem } = readShape(PreTagged, value, what);
  return {
    type: "managed",
    fileSystem: readPreTagged(fileSystem ?? {}, `${what}.file_system`),
    network: { kind: network?.enabled === true ? "enabled" : "restricted" },
    unixSockets: "none",
  };
}

/** Writes the tagged form. Throws when a path or a rule has no words here. */
export function writeCanonicalProfile(profile: PermissionProfile, extension: Extension) {
  return wireOfProfile(profile, { spelling, extension });
}

/** Entries, or the two lists that came before them. */
function readPreTagged(value: unknown, what: string): FileSystem {
  const lists =
    typeof value === "object" && value !== null && ("read" in value || "write" in value);
  if (!lists) {
    const { entries, glob_scan_max_depth: depth } = readShape(PreTaggedEntries, value, what);
    return {
      type: "restricted",
      entries: entries ?? [],
      ...(depth && { globScanMaxDepth: depth }),
    };
  }
  const { read, write } = readShape(PreTaggedLists, value, what);
  return {
    type: "restricted",
    entries: [...pathEntries(read, "read"), ...pathEntries(write, "write")],
  };
}

function pathEntries(
  list: readonly PathUri[] | null | undefined,
  access: "read" | "write",
): Entry[] {
  return (list ?? []).map((path) => ({ target: { type: "path", path }, access }));
}
