import type { PermissionProfile } from "../profile/permission-profile.ts";
import type { SandboxMode } from "../profile/sandbox-policy.ts";
import { hasFullDiskWrite } from "./full-disk-write.ts";

/** The coarse word for a profile; `external-sandbox` is no mode a caller can ask for. */
export type ProfileMode = SandboxMode | "external-sandbox";

/** Classifies a profile the way Codex does, so that the two can be compared. */
export function modeOfProfile(profile: PermissionProfile): ProfileMode {
  if (profile.type === "disabled") return "danger-full-access";
  if (profile.type === "external") return "external-sandbox";
  if (hasFullDiskWrite(profile.fileSystem)) return "danger-full-access";
  const entries = profile.fileSystem.type === "restricted" ? profile.fileSystem.entries : [];
  return entries.some(({ access }) => access === "write") ? "workspace-write" : "read-only";
}
