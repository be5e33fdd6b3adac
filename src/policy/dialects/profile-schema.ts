/**
 * The tagged profile shape that the canonical and the exec dialect share, with
 * writ's extension member.
 *
 * Limits, network rules and unix sockets have no word in either dialect. A
 * writer carries them in `writ` or refuses, as its caller decides; where rules
 * are carried, the plain `network` member says `restricted`, so that a party
 * that does not know the extension allows less, never more.
 */
import { z } from "zod";
import { PolicyError } from "../policy-error.ts";
import { Limits } from "../profile/limits.ts";
import { type Network, NetworkRules } from "../profile/network.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";
import { UnixSockets } from "../profile/unix-sockets.ts";
import { entrySchema, type PathSpelling, writeEntry } from "./entry-schema.ts";

/** What a writer does with rules that the dialect has no words for. */
export type Extension = "carry" | "refuse";

const NetworkWord = z.enum(["restricted", "enabled"]);

/** The published shape of the extension member. Absent sockets are none. */
export const WritExtension = z
  .strictObject({
    limits: Limits.optional(),
    network: NetworkRules.optional(),
    unixSockets: UnixSockets.optional(),
  })
  .meta({ id: "WritExtension", description: "What the dialects of others have no words for." });

const WritMember = WritExtension.optional();

/** The schema of a tagged profile; every member that is not known is refused. */
export function profileSchema(spelling: PathSpelling) {
  const fileSystem = z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("restricted"),
      entries: z.array(entrySchema(spelling)),
      glob_scan_max_depth: z.int().min(1).nullish(),
    }),
    z.strictObject({ type: z.literal("unrestricted") }),
  ]);
  return z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("managed"),
      file_system: fileSystem,
      network: NetworkWord,
      writ: WritMember,
    }),
    z.strictObject({ type: z.literal("disabled"), writ: WritMember }),
    z.strictObject({ type: z.literal("external"), network: NetworkWord, writ: WritMember }),
  ]);
}

type ProfileWire = z.output<ReturnType<typeof profileSchema>>;

/** The one form of a tagged profile that its schema has accepted. */
export function profileOfWire(wire: ProfileWire): PermissionProfile {
  const { limits: most, unixSockets = "none" } = wire.writ ?? {};
  const limits = most && { limits: most };
  switch (wire.type) {
    case "disabled":
      refuseSocketsBesideDisabled(wire.writ);
      return { type: "disabled", ...limits };
    case "external":
      return { type: "external", network: readNetwork(wire), unixSockets, ...limits };
    case "managed":
      return {
        type: "managed",
        fileSystem: readFileSystem(wire.file_system),
        network: readNetwork(wire),
        unixSockets,
        ...limits,
      };
  }
}

/** Without a sandbox nothing would hold them, `none` included. */
function refuseSocketsBesideDisabled(writ: ProfileWire["writ"]): void {
  if (writ?.network) throw contradiction("disabled");
  if (writ?.unixSockets === undefined) return;
  throw new PolicyError(
    "malformed",
    'Cannot read "writ.unixSockets": it stands beside disabled, expected a profile with a sandbox',
  );
}

function readFileSystem(
  wire: Extract<ProfileWire, { type: "managed" }>["file_system"],
): FileSystem {
  if (wire.type === "unrestricted") return wire;
  const { entries, glob_scan_max_depth: depth } = wire;
  return { type: "restricted", entries, ...(depth && { globScanMaxDepth: depth }) };
}

function readNetwork(wire: Extract<ProfileWire, { network: string }>): Network {
  if (wire.writ?.network === undefined) return { kind: wire.network };
  if (wire.network === "enabled") throw contradiction('"network": "enabled"');
  return { kind: "ruled", rules: wire.writ.network };
}

/** Writes a profile, its paths spelled as the dialect spells them. */
export function wireOfProfile(
  profile: PermissionProfile,
  how: { readonly spelling: PathSpelling; readonly extension: Extension },
) {
  const writ = extensionOf(profile, how.extension);
  if (profile.type === "disabled") return { type: profile.type, ...writ };
  const network =
    profile.network.kind === "enabled" ? ("enabled" as const) : ("restricted" as const);
  if (profile.type === "external") return { type: profile.type, network, ...writ };
  return {
    type: profile.type,
    file_system: writeFileSystem(profile.fileSystem, how.spelling),
    network,
    ...writ,
  };
}

function writeFileSystem(fileSystem: FileSystem, spelling: PathSpelling) {
  if (fileSystem.type === "unrestricted") return { type: fileSystem.type };
  const { entries, globScanMaxDepth: depth } = fileSystem;
  return {
    type: fileSystem.type,
    entries: entries.map((entry) => writeEntry(entry, spelling)),
    ...(depth && { glob_scan_max_depth: depth }),
  };
}

const CARRIED = {
  limits: "limits",
  network: "network rules",
  unixSockets: "unix sockets",
} as const satisfies Record<keyof z.output<typeof WritExtension>, string>;

function extensionOf(profile: PermissionProfile, extension: Extension) {
  const writ = withoutWords(profile);
  const members = Object.keys(writ) as (keyof typeof CARRIED)[];
  if (members.length === 0) return {};
  if (extension === "carry") return { writ };
  const what = members.map((member) => CARRIED[member]).join(" and ");
  throw new PolicyError(
    "unrepresentable",
    `Cannot write the profile: it has ${what}, which this dialect cannot say`,
  );
}

/** What only the extension can say; no sockets is what every party understands. */
function withoutWords(profile: PermissionProfile) {
  const limits = profile.limits && { limits: profile.limits };
  if (profile.type === "disabled") return { ...limits };
  const { network, unixSockets } = profile;
  return {
    ...limits,
    ...(network.kind === "ruled" && { network: network.rules }),
    ...(unixSockets !== "none" && { unixSockets }),
  };
}

function contradiction(what: string): PolicyError {
  return new PolicyError(
    "malformed",
    `Cannot read "writ.network": network rules stand beside ${what}, expected "network": "restricted"`,
  );
}
