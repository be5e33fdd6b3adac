/**
 * The precedence rules once more, as slowly and plainly as they can be said.
 *
 * It shares nothing with the layer under test but its types: symbols, containment, ranks, protected
 * names and patterns are all done here again.
 */
import type { Access, Entry, HostRoots, PermissionProfile } from "../../../src/policy/index.ts";
import { regexOfGlob } from "./naive-glob.ts";

interface Placed {
  readonly path: string;
  readonly access: Access;
  readonly protects: readonly string[];
}

/** What a profile says on a host, path by path. */
export function naiveAccess(profile: PermissionProfile, host: HostRoots): (path: string) => Access {
  const entries = entriesOf(profile, host);
  if (entries === "unrestricted") return () => "write";
  const patterns = entries.flatMap((entry) => regexesOf(entry, host));
  const places = entries.flatMap((entry) => placed(entry, host));
  return (path) => {
    const lineage = ancestors(path);
    const isMatched = patterns.some((regex) =>
      lineage.some((one) => one !== "/" && regex.test(one)),
    );
    return isMatched ? "deny" : decided(places, path);
  };
}

function entriesOf(profile: PermissionProfile, host: HostRoots): readonly Entry[] | "unrestricted" {
  if (profile.type === "disabled") return "unrestricted";
  if (profile.type === "external") {
    if (host.externalSandbox === "trusted") return "unrestricted";
    return [{ target: { type: "root" }, access: "read" }];
  }
  return profile.fileSystem.type === "unrestricted" ? "unrestricted" : profile.fileSystem.entries;
}

function decided(entries: readonly Placed[], path: string): Access {
  const covering = entries.filter((one) => covers(one.path, path));
  const rank = { read: 0, write: 1, deny: 2 };
  const best = covering.toSorted(
    (x, y) => namesIn(y.path).length - namesIn(x.path).length || rank[y.access] - rank[x.access],
  )[0];
  if (best === undefined) return "deny";
  return best.access === "write" && isBlocked(entries, path) ? "read" : best.access;
}

function isBlocked(entries: readonly Placed[], path: string): boolean {
  const writes = entries.filter((one) => one.access === "write");
  return writes.some((outer) => {
    const next = namesIn(path)[namesIn(outer.path).length];
    if (path === outer.path || !covers(outer.path, path) || next === undefined) return false;
    if (!outer.protects.includes(next)) return false;
    const held = outer.path === "/" ? `/${next}` : `${outer.path}/${next}`;
    return !writes.some((inner) => covers(inner.path, path) && covers(held, inner.path));
  });
}

function placed(entry: Entry, host: HostRoots): Placed[] {
  const { target, access } = entry;
  const temporary = target.type === "tmpdir" || target.type === "slashTmp";
  const protects = host.protectedNames
    .filter((one) => !temporary || one.inTemporary)
    .map((one) => one.name);
  return placesOf(target, host).map((path) => ({ path, access, protects }));
}

function placesOf(target: Entry["target"], host: HostRoots): readonly string[] {
  switch (target.type) {
    case "path":
      return [decodeURIComponent(target.path.slice("file://".length))];
    case "root":
      return ["/"];
    case "minimal":
      return host.platformDefaults;
    case "tmpdir":
      return host.tmpdir === undefined ? [] : [host.tmpdir];
    case "slashTmp":
      return host.slashTmp === undefined ? [] : [host.slashTmp];
    case "workspaceRoots":
      return host.workspaceRoots.map((root) =>
        target.subpath === undefined ? root : `${root === "/" ? "" : root}/${target.subpath}`,
      );
    default:
      return [];
  }
}

function regexesOf({ target }: Entry, host: HostRoots): RegExp[] {
  if (target.type !== "glob") return [];
  if (target.base === "absolute") return [regexOfGlob("", target.pattern)];
  if (target.base === "workspaceRoots") {
    return host.workspaceRoots.map((root) => regexOfGlob(root, target.pattern));
  }
  const anywhere = target.pattern.includes("/") ? target.pattern : `**/${target.pattern}`;
  return [regexOfGlob(host.cwd, anywhere)];
}

export function covers(outer: string, path: string): boolean {
  const [wide, deep] = [namesIn(outer), namesIn(path)];
  return wide.every((name, index) => name === deep[index]);
}

export function ancestors(path: string): string[] {
  const names = namesIn(path);
  return ["/", ...names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`)];
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
