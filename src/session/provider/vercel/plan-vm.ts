/**
 * What a VM keeps of an intent: its network, and nothing within it. Pure.
 *
 * The VM is a machine of its own: no file and no program of another one is in
 * it. Inside it everybody may do everything, since nothing of writ runs there. So
 * a policy that rules over files, limits or sockets inside is refused, not cut down.
 */
import type { KnownPolicy, SandboxIntent } from "../../../exec/index.ts";
import {
  bindProfile,
  boundDigest,
  type ExecContext,
  type HostRoots,
  hostPathOfUri,
  type PathUri,
  type PermissionProfile,
  PolicyError,
  parseAbsolutePath,
  profileDigest,
} from "../../../policy/index.ts";
import { Refusal } from "../../refusal.ts";
import type { SessionError } from "../../session-error.ts";
import { type Firewall, firewallOf } from "./firewall.ts";

export interface VmPlan {
  readonly profileDigest: string;
  /** Names the policy with its places in the VM. Nothing is within anything but itself. */
  readonly boundDigest: string;
  readonly firewall: Firewall;
}

/** Plans an intent for a VM. Throws `forbidden` rather than lose a rule. */
export function planVm(intent: SandboxIntent, workspace: PathUri): VmPlan {
  if (intent.kind === "waived") {
    throw unkept("the sandbox is waived", 'a policy that names its network, as "external" does');
  }
  const { profile } = intent.context;
  const firewall = firewallOf(keptNetwork(profile));
  try {
    const bound = bindProfile(profile, rootsOf(intent.context, workspace));
    return { profileDigest: profileDigest(profile), boundDigest: boundDigest(bound), firewall };
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new Refusal("forbidden", cause.message, { cause });
  }
}

/** What a plan keeps, in the words of a receipt. */
export function knownOfVm({ firewall, ...digests }: VmPlan, backend: string): KnownPolicy {
  const open = typeof firewall === "string" ? firewall : firewall.allow.join(", ");
  return {
    ...digests,
    waived: null,
    enforced: {
      ...{ tier: "external", backend, limits: [], launchFiles: [] },
      network: firewall === "deny-all" ? "private" : "host",
      unixSockets: "host",
    },
    notes: [`it ran in a VM of its own, whose firewall lets through: ${open}`],
  };
}

function keptNetwork(profile: PermissionProfile) {
  if (profile.type === "disabled") {
    throw unkept("it waives the sandbox", 'one that names its network, as "external" does');
  }
  if (profile.type === "managed" && profile.fileSystem.type === "restricted") {
    throw unkept(
      "it has rules for files, which only writ inside the VM could keep",
      '"external", or files without rules',
    );
  }
  if (profile.limits !== undefined && Object.keys(profile.limits).length > 0) {
    throw unkept("it has limits, which only writ inside the VM could keep", "none");
  }
  if (profile.unixSockets !== "host") {
    throw unkept(
      `it closes unix sockets ("${profile.unixSockets}"), and commands of a VM reach those of each other`,
      '"host", which are those of the VM',
    );
  }
  return profile.network;
}

/** `policyContext` stands in for both members, also for the one that it leaves out. */
function rootsOf(context: ExecContext, workspace: PathUri): HostRoots {
  const { cwd = workspace, workspaceRoots } = context.policyContext ?? context;
  const pathOf = (uri: PathUri) => hostPathOfUri(uri, "linux");
  return {
    system: "linux",
    cwd: pathOf(cwd),
    workspaceRoots: workspaceRoots.map(pathOf),
    tmpdir: undefined,
    slashTmp: parseAbsolutePath("/tmp"),
    platformDefaults: [],
    protectedNames: [],
    externalSandbox: "trusted",
  };
}

function unkept(is: string, expected: string): SessionError {
  return new Refusal("forbidden", `Cannot keep the policy in a VM: ${is}, expected ${expected}`);
}
