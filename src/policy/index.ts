/**
 * What is allowed: shapes, precedence, binding, access, narrowing, ceilings.
 *
 * Pure. Every name below is public; nothing else of this layer is.
 */
export { bindProfile } from "./access/bind-profile.ts";
export type {
  BoundEntry,
  BoundNetwork,
  BoundProfile,
  HostRoots,
} from "./access/bound-profile.ts";
export { accessTo, compileAccess } from "./access/decide.ts";
export { describeEntry } from "./access/describe-entry.ts";
export { type Explanation, explain } from "./access/explain.ts";
export { type GlobSegment, parseGlob } from "./access/glob.ts";
export { globCursor } from "./access/glob-cursor.ts";
export type { GlobCursor, GlobRule } from "./access/glob-tree.ts";
export type { NamePattern, NameToken } from "./access/name-pattern.ts";
export {
  type Candidate,
  type Ceiling,
  type CeilingVerdict,
  canSet,
  underCeiling,
} from "./bounds/ceiling.ts";
export { ceilingMessage } from "./bounds/ceiling-message.ts";
export { type Detour, firstDetour, type RealPath } from "./bounds/first-detour.ts";
export { firstWidening, type Widening } from "./bounds/first-widening.ts";
export { type LiftedDeny, liftedDeny } from "./bounds/lifted-deny.ts";
export { narrow } from "./bounds/narrow.ts";
export { type CeilingFacts, readCeiling } from "./bounds/read-ceiling.ts";
export { materializeProfile, type Workspace } from "./convert/materialize-profile.ts";
export { modeOfProfile, type ProfileMode } from "./convert/mode-of-profile.ts";
export { policyForMode } from "./convert/policy-for-mode.ts";
export { type PolicyProjection, policyOfProfile } from "./convert/policy-of-profile.ts";
export { preserveDenies } from "./convert/preserve-denies.ts";
export { profileOfPolicy } from "./convert/profile-of-policy.ts";
export { readCamelPolicy, writeCamelPolicy } from "./dialects/camel-policy.ts";
export {
  CanonicalProfile,
  readCanonicalProfile,
  writeCanonicalProfile,
} from "./dialects/canonical-profile.ts";
export {
  type ExecContext,
  ExecContextWire,
  readExecContext,
  writeExecContext,
} from "./dialects/exec-context.ts";
export { readKebabPolicy, writeKebabPolicy } from "./dialects/kebab-policy.ts";
export { type Extension, WritExtension } from "./dialects/profile-schema.ts";
export {
  type Generation,
  readSandboxState,
  type SandboxState,
  SandboxStateWire,
  writeSandboxState,
} from "./dialects/sandbox-state.ts";
export { boundDigest, profileDigest } from "./digest/profile-digest.ts";
export { commonGrant, type Grant, type GrantedPath, isEmptyGrant } from "./grants/grant.ts";
export {
  type AskedGrant,
  type GrantBounds,
  type GrantedProfile,
  grantTo,
  type KeptRule,
} from "./grants/grant-to.ts";
export { memberName } from "./member-name.ts";
export { BUILT_IN_PROFILES } from "./named/built-in-profiles.ts";
export {
  type NamedProfile,
  namedProfile,
  type ProfileTables,
} from "./named/named-profile.ts";
export { type ProfileTable, readProfileTable } from "./named/profile-table.ts";
export { type AbsolutePath, isWithin, parseAbsolutePath } from "./paths/absolute-path.ts";
export { joinUri } from "./paths/join-uri.ts";
export { type HostSystem, hostPathOfUri, nativeOfUri } from "./paths/native-of-uri.ts";
export { parseStraightUri } from "./paths/parse-straight-uri.ts";
export { parsePathUri } from "./paths/path-uri.ts";
export type { Subpath } from "./paths/subpath.ts";
export { parentUri, sameUri, uriContains } from "./paths/uri-contains.ts";
export { uriOfNative } from "./paths/uri-of-native.ts";
export { PolicyError, type PolicyErrorCode } from "./policy-error.ts";
export { ACCESS_RANK, type Access } from "./profile/access.ts";
export type { Entry, GlobEntry, PathEntry, PathTarget } from "./profile/entry.ts";
export { Limits } from "./profile/limits.ts";
export { type Network, NetworkRules } from "./profile/network.ts";
export type { FileSystem, PermissionProfile } from "./profile/permission-profile.ts";
export { PROTECTED_NAMES, type ProtectedName } from "./profile/protected-names.ts";
export { SANDBOX_MODES } from "./profile/sandbox-modes.ts";
export {
  type ReadOnlyAccess,
  SandboxMode,
  type SandboxPolicy,
  sandboxPolicySchema,
} from "./profile/sandbox-policy.ts";
export { stricterLimits } from "./profile/stricter-limits.ts";
export { UnixSockets } from "./profile/unix-sockets.ts";
export { readShape } from "./read-shape.ts";
export { PathUri, StraightUri } from "./schemas/path-uri.ts";
