/**
 * An intent becomes a policy of this host, or nothing happens under it.
 *
 * Symbols are bound to paths of this machine only, and the operator's bounds
 * are applied here, for processes and file operations alike.
 */
import {
  type AbsolutePath,
  type BoundProfile,
  bindProfile,
  type Entry,
  type ExecContext,
  hostPathOfUri,
  type PathUri,
  type PermissionProfile,
  PolicyError,
  underCeiling,
} from "../../policy/index.ts";
import { probeHostRoots, type SeenPath, systemOf } from "../../sandbox/index.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { policyWithin } from "./policy-within.ts";
import { refusePlanted } from "./refuse-planted.ts";
import type { Enforced, SandboxIntent, Waiver } from "./sandbox-intent.ts";
import { refuseLedOut, seenRoot } from "./seen-root.ts";

export interface BoundIntent {
  /** As it was asked for, symbolic. */
  readonly profile: PermissionProfile;
  readonly bound: BoundProfile;
  /** Who waived the sandbox; nothing if nobody did. */
  readonly waiver: Waiver | undefined;
  /** What no policy may open here, and who says so. */
  readonly ceiling: { readonly source: string; readonly bound: BoundProfile } | undefined;
  /** Where workspace roots, granted places and `:tmpdir` led when they were allowed: a plan must find them there. */
  readonly seen: readonly SeenPath[];
  /** What it may open at most, wherever paths lead: a plan must stay within it. */
  readonly within?: BoundProfile;
}

const EVERYTHING: PermissionProfile = {
  type: "managed",
  fileSystem: {
    type: "restricted",
    entries: [{ target: { type: "root" }, access: "write" }],
  },
  network: { kind: "enabled" },
  unixSockets: "host",
};

/** Binds an intent to this host. `cwd` stands in where the intent names none; without either, symbols cannot be bound. */
export function bindIntent(
  intent: SandboxIntent,
  cwd: AbsolutePath | undefined,
  host: ExecHost,
): BoundIntent {
  const { profile, waiver, wide } = policyWithin(intent, host.bounds);
  refuseHostNetwork(wide, host);
  try {
    const { roots, seen, ledOut } = rootsOf(intent, cwd, host);
    const { ceilings } = host.bounds;
    const under = (one: PermissionProfile) =>
      ceilings.reduce(
        (bound, ceiling) => underCeiling(bound, ceiling, roots),
        bindProfile(one, roots),
      );
    const source = ceilings.map((one) => one.source).join(", ");
    const ceiling = source === "" ? undefined : { source, bound: under(EVERYTHING) };
    const bound = under(wide);
    refuseLedOut(ledOut, bound);
    return { profile, bound, waiver, ceiling, seen };
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("invalidRequest", cause.message, { cause, field: "sandbox.permissions" });
  }
}

/** A command in a sandbox could come back as a client, and ask for none. */
function refuseHostNetwork(profile: PermissionProfile, { bounds }: ExecHost): void {
  if (bounds.hostNetwork === "allowed" || profile.type === "disabled") return;
  if (profile.network.kind === "restricted") return;
  throw new ExecError(
    "notAllowed",
    "Cannot open the network for a command: it could reach the port of this executor, which asks nobody who they are. Start it with --ws-auth, or listen on a socket file",
    { field: "sandbox.permissions.network" },
  );
}

function rootsOf(intent: SandboxIntent, fallback: AbsolutePath | undefined, host: ExecHost) {
  const { cwd, workspaceRoots } =
    intent.kind === "waived" ? NO_PLACE : placeOf(intent.context, host);
  const { seen, ledOut } =
    intent.kind === "waived" ? NOTHING_SEEN : seenPlaces(intent, workspaceRoots, host);
  const at = cwd ?? fallback;
  if (at === undefined && intent.kind === "enforce" && needsPlace(intent.context.profile)) {
    throw new ExecError(
      "invalidRequest",
      "Cannot bind the sandbox: it has symbols of a workspace, expected a cwd with it",
      { field: "sandbox.cwd" },
    );
  }
  const roots = probeHostRoots({
    cwd: at ?? ROOT,
    workspaceRoots,
    // Where it led was looked up with it: a command of another policy may have left a link there.
    env: { ...host.env, TMPDIR: host.tmpdir?.path },
    platform: host.platform,
    externalSandbox: host.externalSandbox,
  });
  return { roots, seen, ledOut };
}

function seenPlaces(intent: Enforced, workspaceRoots: readonly AbsolutePath[], host: ExecHost) {
  const { seen, ledOut } = seenRoots(intent.context, workspaceRoots, host);
  return {
    seen: [...seen, ...asNamed(intent.unturned, host), ...seenTmpdir(intent, host)],
    ledOut,
  };
}

const ROOT = "/" as AbsolutePath;
const NO_PLACE = { cwd: undefined, workspaceRoots: [] };
const NOTHING_SEEN = { seen: [], ledOut: [] };

/** `policyContext` stands in for both members, also for the one that it leaves out. */
function placeOf(context: ExecContext, host: ExecHost) {
  const { policyContext } = context;
  const { cwd, workspaceRoots } = policyContext ?? context;
  const at = contextName(context);
  return {
    cwd: cwd && pathOf(cwd, `${at}.cwd`, host),
    workspaceRoots: workspaceRoots.map((uri) => pathOf(uri, `${at}.workspaceRoots`, host)),
  };
}

/** What messages call the member that says where. */
function contextName({ policyContext }: ExecContext): string {
  return policyContext === undefined ? "sandbox" : "sandbox.policyContext";
}

/** Where the roots lead, all of them allowed. A place in a root that is granted by itself may be a link, too. */
function seenRoots(context: ExecContext, roots: readonly AbsolutePath[], host: ExecHost) {
  const field = `${contextName(context)}.workspaceRoots`;
  const entries = entriesOf(context.profile);
  const all = roots.map((root) => seenRoot(root, { entries, field }, host));
  return {
    seen: all.flatMap(({ seen }) => seen),
    ledOut: all.flatMap(({ ledOut }) => ledOut),
  };
}

/** Whoever agreed to a name agreed to what it was: without links it leads to itself. */
function asNamed(unturned: readonly PathUri[] = [], host: ExecHost): SeenPath[] {
  return unturned.map((uri) => {
    const path = pathOf(uri, "sandbox.permissions", host);
    return { path, real: path };
  });
}

/** A rule for `:tmpdir` is one for the folder that the operator meant, whoever put another in its place. */
function seenTmpdir({ context, opened = [] }: Enforced, { tmpdir, bounds }: ExecHost): SeenPath[] {
  const denies = bounds.ceilings.flatMap((ceiling) => ceiling.denies);
  const entries = [...entriesOf(context.profile), ...opened, ...denies];
  const isNamed = entries.some(({ target }) => target.type === "tmpdir");
  if (tmpdir === undefined || !isNamed) return [];
  refusePlanted(tmpdir);
  return [tmpdir];
}

function entriesOf(profile: PermissionProfile): readonly Entry[] {
  if (profile.type !== "managed" || profile.fileSystem.type === "unrestricted") return [];
  return profile.fileSystem.entries;
}

/** The path that a URI of a request has here. */
export function pathOf(uri: PathUri, field: string, { platform }: ExecHost): AbsolutePath {
  try {
    return hostPathOfUri(uri, systemOf(platform));
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new ExecError("invalidRequest", cause.message, { cause, field });
  }
}

function needsPlace(profile: PermissionProfile): boolean {
  return entriesOf(profile).some(
    ({ target }) => target.type === "workspaceRoots" || target.type === "glob",
  );
}
