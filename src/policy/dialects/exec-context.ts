/**
 * The exec dialect: the sandbox intent that goes to a remote executor.
 *
 * A camelCase wrapper around a snake_case profile whose paths are URIs, so
 * that nothing in it depends on either machine. Settings for other operating
 * systems are read and kept: they are not ours to drop.
 */
import { z } from "zod";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { readShape } from "../read-shape.ts";
import { PathUri, StraightUri } from "../schemas/path-uri.ts";
import type { PathSpelling } from "./entry-schema.ts";
import { type Extension, profileOfWire, profileSchema, wireOfProfile } from "./profile-schema.ts";
import { refuseRestrictiveMembers } from "./refuse-restrictive-members.ts";

const spelling: PathSpelling = { schema: StraightUri, write: (uri) => uri };

/** The published shape of an exec profile. */
const ExecProfile = profileSchema(spelling).meta({
  id: "ExecPermissionProfile",
  description: "What is allowed, with paths as URIs.",
});

const roots = z.array(StraightUri).prefault([]);

const SETTINGS = {
  windowsSandboxLevel: z.enum(["disabled", "restricted-token", "elevated", "mxc"]),
  windowsSandboxPrivateDesktop: z.boolean().optional(),
  windowsSandboxProxySettingsMode: z.enum(["reconcile", "preserve"]).optional(),
  useLegacyLandlock: z.boolean().optional(),
  sandboxOverride: z
    .enum(["noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt"])
    .optional(),
  userHomeDir: PathUri.optional(),
  temporaryDirectories: z.array(PathUri).optional(),
} as const;

/** The published shape of the whole context. */
export const ExecContextWire = z
  .object({
    permissions: ExecProfile,
    cwd: StraightUri.optional(),
    workspaceRoots: roots,
    policyContext: z.strictObject({ cwd: StraightUri.optional(), workspaceRoots: roots }).nullish(),
    ...SETTINGS,
  })
  .meta({ id: "FileSystemSandboxContext", description: "A portable sandbox intent." });

type Settings = Omit<
  z.output<typeof ExecContextWire>,
  "permissions" | "cwd" | "workspaceRoots" | "policyContext"
>;

export interface ExecContext {
  readonly profile: PermissionProfile;
  readonly cwd?: PathUri;
  readonly workspaceRoots: readonly PathUri[];
  /** Replaces `cwd` and `workspaceRoots` for the policy, members that are missing included. */
  readonly policyContext?: { readonly cwd?: PathUri; readonly workspaceRoots: readonly PathUri[] };
  readonly settings: Readonly<Settings>;
}

/** Reads a context; members of newer clients are tolerated unless they sound like a restriction. */
export function readExecContext(value: unknown): ExecContext {
  const wire = readShape(ExecContextWire, value, "sandbox");
  refuseRestrictiveMembers(value, ExecContextWire.shape, "sandbox");
  const { permissions, cwd, workspaceRoots, policyContext, ...settings } = wire;
  return {
    profile: profileOfWire(permissions),
    ...(cwd && { cwd }),
    workspaceRoots,
    ...(policyContext && { policyContext: withoutUndefined(policyContext) }),
    settings,
  };
}

/** Writes a context as Codex does: an empty list of roots is left out. */
export function writeExecContext(context: ExecContext, extension: Extension) {
  const { profile, workspaceRoots, settings, cwd, policyContext } = context;
  return {
    permissions: wireOfProfile(profile, { spelling, extension }),
    ...(cwd && { cwd }),
    ...(workspaceRoots.length > 0 && { workspaceRoots: [...workspaceRoots] }),
    ...(policyContext && { policyContext }),
    ...settings,
  };
}

function withoutUndefined(context: { cwd?: PathUri | undefined; workspaceRoots: PathUri[] }) {
  const { cwd, workspaceRoots } = context;
  return cwd === undefined ? { workspaceRoots } : { cwd, workspaceRoots };
}
