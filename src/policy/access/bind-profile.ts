/**
 * Replaces symbols by paths of this host: the only place where that happens.
 *
 * It runs on the machine that will run the command, never on the one that
 * asked. A grant whose symbol has no path here grants nothing; a deny whose
 * symbol has no path is an error, because a deny must never vanish.
 */
import { type AbsolutePath, joinSubpath, parseAbsolutePath } from "../paths/absolute-path.ts";
import { hostPathOfUri } from "../paths/native-of-uri.ts";
import { PolicyError } from "../policy-error.ts";
import { ACCESS_RANK } from "../profile/access.ts";
import { type Entry, isGlob, type PathEntry, type PathTarget } from "../profile/entry.ts";
import type { Network } from "../profile/network.ts";
import type { FileSystem, PermissionProfile } from "../profile/permission-profile.ts";
import { bindGlobs } from "./bind-globs.ts";
import type { BoundEntry, BoundNetwork, BoundProfile, HostRoots } from "./bound-profile.ts";
import { describeEntry } from "./describe-entry.ts";

/** Binds a profile to a host. Throws {@link PolicyError} rather than lose a rule. */
export function bindProfile(profile: PermissionProfile, host: HostRoots): BoundProfile {
  const { cwd, workspaceRoots, tmpdir, slashTmp } = host;
  const common = {
    roots: { cwd, workspaceRoots, tmpdir, slashTmp },
    ...(profile.limits && { limits: profile.limits }),
  };
  switch (profile.type) {
    case "disabled":
      return {
        ...common,
        enforcement: "disabled",
        files: UNRESTRICTED,
        network: { kind: "enabled" },
        unixSockets: "host",
      };
    case "external":
      return { ...common, ...bindExternal(host), ...bindSockets(profile) };
    case "managed":
      return {
        ...common,
        enforcement: "managed",
        files: bindFiles(profile.fileSystem, host),
        ...bindSockets(profile),
      };
  }
}

const UNRESTRICTED = { type: "unrestricted" } as const;

/** An external sandbox that nobody here vouches for: read-only is what is left of it. */
function bindExternal(host: HostRoots): Pick<BoundProfile, "enforcement" | "files"> {
  if (host.externalSandbox === "trusted") return { enforcement: "external", files: UNRESTRICTED };
  const entries = [{ target: { type: "root" }, access: "read" }] as const;
  return { enforcement: "managed", files: bindFiles({ type: "restricted", entries }, host) };
}

function bindFiles(fileSystem: FileSystem, host: HostRoots): BoundProfile["files"] {
  if (fileSystem.type === "unrestricted") return UNRESTRICTED;
  const { globScanMaxDepth } = fileSystem;
  const paths = fileSystem.entries.flatMap((entry) => (isGlob(entry) ? [] : [entry]));
  refuseTooMany(paths, host);
  const bound = paths.flatMap((entry) => bindEntry(entry, host));
  if (bound.some(({ access }) => access === "write")) refuseLostReads(paths, host);
  return {
    type: "restricted",
    entries: decidingEntries(bound),
    globs: bindGlobs(fileSystem.entries.filter(isGlob), host),
    ...(globScanMaxDepth && { globScanMaxDepth }),
  };
}

/** Roots times entries: a stranger chooses both, so the product has a bound of its own. */
const MAX_BOUND = 262_144;

function refuseTooMany(entries: readonly PathEntry[], { workspaceRoots }: HostRoots): void {
  const perRoot = entries.filter(({ target }) => target.type === "workspaceRoots").length;
  const count = entries.length + perRoot * workspaceRoots.length;
  if (count > MAX_BOUND) {
    throw new PolicyError(
      "tooLarge",
      `Cannot bind the profile: it has more than ${MAX_BOUND} entries here`,
    );
  }
}

/** Beside a write grant, `read` is a restriction too; one without a place here would be lost. */
function refuseLostReads(entries: readonly PathEntry[], host: HostRoots): void {
  const lost = entries.find(
    (entry) =>
      entry.access === "read" &&
      entry.missing !== "skip" &&
      (entry.target.type === "unknown" || entry.target.type === "workspaceRoots") &&
      pathsOf(entry.target, host).length === 0,
  );
  if (lost !== undefined) throw unbindable(lost, "a restriction");
}

function bindEntry(entry: PathEntry, host: HostRoots): BoundEntry[] {
  const paths = pathsOf(entry.target, host);
  const rule = describeEntry(entry);
  if (entry.access === "deny" && paths.length === 0) throw unbindable(entry, "a deny");
  if (entry.access === "write" && entry.target.type === "minimal") {
    throw new PolicyError(
      "unbindable",
      'Cannot bind ":minimal": the platform defaults cannot be writable, expected "read"',
    );
  }
  if (entry.access === "write" && widensToRoot(entry.target, paths)) {
    throw new PolicyError(
      "unbindable",
      `Cannot bind ${rule}: the symbol is "/" on this host, which would open the whole disk, expected a folder below it`,
    );
  }
  const isOpen = entry.access !== "write" || entry.names === "open";
  const protects = isOpen ? [] : protectedAt(entry.target, host);
  return paths.map((path) => ({ path, access: entry.access, protects, rule }));
}

function pathsOf(target: PathTarget, host: HostRoots): readonly AbsolutePath[] {
  switch (target.type) {
    case "path":
      return [hostPathOfUri(target.path, host.system)];
    case "root":
      return [parseAbsolutePath("/")];
    case "minimal":
      return host.platformDefaults;
    case "tmpdir":
      return host.tmpdir === undefined ? [] : [host.tmpdir];
    case "slashTmp":
      return host.slashTmp === undefined ? [] : [host.slashTmp];
    case "workspaceRoots":
      return host.workspaceRoots.map((root) => joinSubpath(root, target.subpath));
    case "unknown":
      return [];
  }
}

/** Only `:root` and a path that says so may grant everything; a symbol must not turn into it. */
function widensToRoot(target: PathTarget, paths: readonly AbsolutePath[]): boolean {
  return target.type !== "root" && target.type !== "path" && paths.some((path) => path === "/");
}

/** Temporary folders are shared with other programs, so fewer names are held there. */
function protectedAt(target: PathTarget, host: HostRoots) {
  const temporary = target.type === "tmpdir" || target.type === "slashTmp";
  return host.protectedNames.filter((name) => !temporary || name.inTemporary);
}

/** One entry per path: the highest rank decides, and protections of equals add up. */
export function decidingEntries(entries: readonly BoundEntry[]): BoundEntry[] {
  const byPath = new Map<AbsolutePath, BoundEntry>();
  for (const entry of entries) {
    const other = byPath.get(entry.path);
    byPath.set(entry.path, other === undefined ? entry : deciding(other, entry));
  }
  return [...byPath.values()];
}

function deciding(a: BoundEntry, b: BoundEntry): BoundEntry {
  if (a.access !== b.access) return ACCESS_RANK[a.access] > ACCESS_RANK[b.access] ? a : b;
  const added = b.protects.filter((name) => !a.protects.some((one) => one.name === name.name));
  return added.length === 0 ? a : { ...a, protects: [...a.protects, ...added] };
}

type Enforced = Exclude<PermissionProfile, { type: "disabled" }>;

function bindSockets({ network, unixSockets }: Enforced) {
  return { network: bindNetwork(network), unixSockets };
}

function bindNetwork(network: Network): BoundNetwork {
  return network.kind === "ruled" ? { kind: "ruled", all: [network.rules] } : network;
}

function unbindable(entry: Entry, what: string): PolicyError {
  return new PolicyError(
    "unbindable",
    `Cannot bind ${describeEntry(entry)}: the symbol has no path on this host, and ${what} must not vanish`,
  );
}
