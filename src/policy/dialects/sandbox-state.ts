/**
 * The sandbox state that a Codex client sends with an MCP tool call.
 *
 * Four generations are in use; each is told apart by its members and written
 * back as it came. The profile is the authority: the `sandboxPolicy` that
 * generation 2 sends beside it is a wider projection and is never preferred.
 */
import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { modeOfProfile } from "../convert/mode-of-profile.ts";
import { profileOfPolicy } from "../convert/profile-of-policy.ts";
import { canonicalProfile } from "../digest/canonical-profile.ts";
import { nativeOfUri } from "../paths/native-of-uri.ts";
import { conventionOf } from "../paths/native-path.ts";
import { parseStraightUri } from "../paths/parse-straight-uri.ts";
import type { PathUri } from "../paths/path-uri.ts";
import { uriOfNative } from "../paths/uri-of-native.ts";
import { PolicyError } from "../policy-error.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import type { SandboxPolicy } from "../profile/sandbox-policy.ts";
import { readShape } from "../read-shape.ts";
import {
  CanonicalProfile,
  readCanonicalProfile,
  writeCanonicalProfile,
} from "./canonical-profile.ts";
import { readKebabPolicy, writeKebabPolicy } from "./kebab-policy.ts";
import type { Extension } from "./profile-schema.ts";
import { refuseRestrictiveMembers } from "./refuse-restrictive-members.ts";

export type Generation = "G1" | "G2" | "G3" | "G4";

export interface SandboxState {
  readonly generation: Generation;
  readonly profile: PermissionProfile;
  /** What the coarse member said; kept so that the state can be written back. */
  readonly sandboxPolicy?: SandboxPolicy;
  readonly cwd: PathUri;
  /** The client's own helper. It is never run; it differs from process to process. */
  readonly codexLinuxSandboxExe: string | null;
  readonly useLegacyLandlock: boolean;
  readonly useMxc?: boolean;
}

const MEMBERS = {
  sandboxCwd: z.string().transform(asTransform(parseCwd)),
  codexLinuxSandboxExe: z.string().nullish(),
  useLegacyLandlock: z.boolean().default(false),
  useMxc: z.boolean().optional(),
} as const;

/** The published shape of a state; the reader also takes the older policy members. */
export const SandboxStateWire = z
  .object({ permissionProfile: CanonicalProfile, ...MEMBERS })
  .meta({ id: "SandboxState", description: "The sandbox of one MCP tool call." });

const StateWire = z.object({
  permissionProfile: z.unknown().optional(),
  sandboxPolicy: z.unknown().optional(),
  ...MEMBERS,
});

/** Reads a state of any generation. There is no default: absent, empty and malformed throw. */
export function readSandboxState(value: unknown): SandboxState {
  refuseWithoutPolicy(value);
  const wire = readShape(StateWire, value, "sandboxState");
  refuseRestrictiveMembers(value, StateWire.shape, "sandboxState");
  const sandboxPolicy =
    wire.sandboxPolicy === undefined ? undefined : readKebabPolicy(wire.sandboxPolicy);
  const profile = profileIn(wire.permissionProfile, sandboxPolicy);
  if (sandboxPolicy !== undefined) refuseContradiction(profile, sandboxPolicy);
  return {
    generation: generationOf(value as Record<string, unknown>),
    profile,
    ...(sandboxPolicy && { sandboxPolicy }),
    cwd: wire.sandboxCwd,
    codexLinuxSandboxExe: wire.codexLinuxSandboxExe ?? null,
    useLegacyLandlock: wire.useLegacyLandlock,
    ...(wire.useMxc !== undefined && { useMxc: wire.useMxc }),
  };
}

/** Writes a state in its own generation. */
export function writeSandboxState(state: SandboxState, extension: Extension) {
  const { generation, sandboxPolicy, profile, useMxc } = state;
  if (generation === "G1") refuseOtherProfile(state);
  if (sandboxPolicy !== undefined) refuseContradiction(profile, sandboxPolicy);
  return {
    ...(generation !== "G1" && { permissionProfile: writeCanonicalProfile(profile, extension) }),
    ...(sandboxPolicy && { sandboxPolicy: writeKebabPolicy(sandboxPolicy) }),
    codexLinuxSandboxExe: state.codexLinuxSandboxExe,
    sandboxCwd: generation === "G1" || generation === "G2" ? plainCwd(state.cwd) : state.cwd,
    useLegacyLandlock: state.useLegacyLandlock,
    ...(useMxc !== undefined && { useMxc }),
  };
}

/** Generation 1 travels as its policy alone, so the profile must be what that policy means. */
function refuseOtherProfile({ profile, sandboxPolicy }: SandboxState): void {
  const meant = sandboxPolicy && canonicalProfile(profileOfPolicy(sandboxPolicy));
  if (meant === canonicalProfile(profile)) return;
  throw new PolicyError(
    "unrepresentable",
    "Cannot write the state: generation 1 has only a policy, which is not what the profile with its denies, limits and rules means",
  );
}

/** The policy beside a profile is its projection; one that is stricter contradicts it. */
function refuseContradiction(profile: PermissionProfile, policy: SandboxPolicy): void {
  const [fine, coarse] = [profile, profileOfPolicy(policy)].map((one) => modeOfProfile(one));
  const contradicts =
    (fine === "danger-full-access" && coarse !== fine && coarse !== "external-sandbox") ||
    (fine === "workspace-write" && coarse === "read-only");
  if (!contradicts) return;
  throw new PolicyError(
    "malformed",
    `Cannot use "sandboxState": "permissionProfile" means ${fine}, but "sandboxPolicy" says ${coarse}`,
  );
}

function generationOf(value: Record<string, unknown>): Generation {
  if (value.permissionProfile === undefined) return "G1";
  if (value.sandboxPolicy !== undefined) return "G2";
  return value.useMxc === undefined ? "G3" : "G4";
}

function profileIn(profile: unknown, policy: SandboxPolicy | undefined): PermissionProfile {
  if (profile !== undefined) return readCanonicalProfile(profile, "sandboxState.permissionProfile");
  if (policy !== undefined) return profileOfPolicy(policy);
  throw withoutPolicy();
}

/** Said before anything else: a state without a policy is the case people meet. */
function refuseWithoutPolicy(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (!Object.hasOwn(value, "permissionProfile") && !Object.hasOwn(value, "sandboxPolicy")) {
    throw withoutPolicy();
  }
}

function withoutPolicy(): PolicyError {
  return new PolicyError(
    "malformed",
    'Cannot read "sandboxState.permissionProfile": missing, and no "sandboxPolicy" in its place',
  );
}

/** Older generations wrote a plain path, newer ones a URI; either is understood in all. */
function parseCwd(text: string): PathUri {
  return conventionOf(text) === undefined ? parseStraightUri(text) : uriOfNative(text);
}

function plainCwd(cwd: PathUri): string {
  const path = nativeOfUri(cwd);
  if (path !== undefined) return path;
  throw new PolicyError("unrepresentable", `Cannot write "${cwd}" as a plain path`);
}
