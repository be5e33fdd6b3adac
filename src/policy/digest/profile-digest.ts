/** Names for policies: SHA-256 over their canonical form. */
import { createHash } from "node:crypto";
import type { BoundProfile } from "../access/bound-profile.ts";
import type { PermissionProfile } from "../profile/permission-profile.ts";
import { canonicalBound, canonicalProfile } from "./canonical-profile.ts";

/** Names a symbolic profile in receipts and logs. */
export function profileDigest(profile: PermissionProfile): string {
  return sha256(`profile\n${canonicalProfile(profile)}`);
}

/** Names a profile on this host, its roots, cwd and temporary folders included. */
export function boundDigest(bound: BoundProfile): string {
  return sha256(`bound\n${canonicalBound(bound)}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
