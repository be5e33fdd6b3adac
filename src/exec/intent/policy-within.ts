/**
 * What an intent asks for, where the operator lets it be had at all.
 *
 * It looks at no path, so it means the same for every machine that a command may be sent to.
 */
import { canSet, ceilingMessage, type Entry, type PermissionProfile } from "../../policy/index.ts";
import { ExecError } from "../exec-error.ts";
import type { HostBounds } from "../exec-host.ts";
import type { SandboxIntent, Waiver } from "./sandbox-intent.ts";

export interface AskedPolicy {
  /** As it was asked for, symbolic. */
  readonly profile: PermissionProfile;
  /** The same with what is opened besides it. */
  readonly wide: PermissionProfile;
  /** Who waived the sandbox; nothing if nobody did. */
  readonly waiver: Waiver | undefined;
}

/** The bounds that need no path to be held against. */
export type PolicyBounds = Pick<HostBounds, "ceilings" | "waivers">;

const NO_SANDBOX: PermissionProfile = { type: "disabled" };

/** Throws {@link ExecError} where it is over a ceiling, or waives a sandbox that has to be there. */
export function policyWithin(intent: SandboxIntent, bounds: PolicyBounds): AskedPolicy {
  const profile = intent.kind === "waived" ? NO_SANDBOX : intent.context.profile;
  const waiver = intent.kind === "waived" ? intent : waiverOf(profile);
  const wide = intent.kind === "waived" ? profile : withOpened(profile, intent.opened ?? []);
  if (waiver !== undefined) refuseWaiver(waiver, bounds);
  refuseCeiling(wide, bounds);
  return { profile, wide, waiver };
}

function withOpened(profile: PermissionProfile, opened: readonly Entry[]): PermissionProfile {
  if (opened.length === 0 || profile.type !== "managed") return profile;
  const { fileSystem } = profile;
  if (fileSystem.type === "unrestricted") return profile;
  return { ...profile, fileSystem: { ...fileSystem, entries: [...fileSystem.entries, ...opened] } };
}

/** A profile that confines nothing waives the sandbox, by the policy that it is. */
function waiverOf({ type }: PermissionProfile): Waiver | undefined {
  if (type !== "disabled") return undefined;
  return { kind: "waived", by: "policy", reason: "the profile waives the sandbox" };
}

function refuseWaiver({ reason }: Waiver, { waivers }: PolicyBounds): void {
  if (waivers === "allowed") return;
  throw new ExecError(
    "notAllowed",
    `Cannot run without a sandbox: this executor requires one, and ${reason}`,
    { field: "sandbox" },
  );
}

function refuseCeiling(profile: PermissionProfile, { ceilings }: PolicyBounds): void {
  for (const ceiling of ceilings) {
    const verdict = canSet(ceiling, { form: "profile", profile });
    if (verdict.allowed) continue;
    throw new ExecError("notAllowed", ceilingMessage(verdict, "plain"), {
      field: "sandbox.permissions",
    });
  }
}
