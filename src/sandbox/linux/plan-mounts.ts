/**
 * Turns rules into mounts, broadest first.
 *
 * bubblewrap applies mounts in order and a later one covers an earlier one, so
 * depth order is enforcement order: a narrow rule reopens what a broad one
 * closed, and a narrower one still closes below it. Hidden folders are sealed
 * last, because mount points must still be made inside them.
 */
import {
  type AbsolutePath,
  accessTo,
  type BoundProfile,
  type GlobCursor,
  globCursor,
  isWithin,
} from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import type { GlobMatch } from "../files/globs/glob-cache.ts";
import { parentOf } from "../files/parent-of.ts";
import { resolvePath } from "../files/resolve-path.ts";
import type { Placeholder } from "../launch-plan.ts";
import { inDeniedFolder } from "../rules/in-denied-folder.ts";
import { isFileName } from "../rules/is-file-name.ts";
import type { OwnPaths } from "../rules/own-paths.ts";
import { type RealRule, type RealRules, realRules } from "../rules/real-rules.ts";
import { refuseTurnable } from "../rules/refuse-turnable.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Mount } from "./mount.ts";
import { baseMounts } from "./mounts/base-mounts.ts";
import { foldersToPin } from "./mounts/folders-to-pin.ts";
import { hidingOf } from "./mounts/hiding-of.ts";
import { opened, passagesTo, withPath } from "./mounts/passages.ts";
import { patternsAt } from "./mounts/patterns-at.ts";
import {
  refuseKernelPath,
  refuseKernelPatterns,
  refuseUnsearched,
} from "./mounts/refuse-kernel-path.ts";
import { refuseManyMounts } from "./mounts/refuse-many-mounts.ts";
import { shallowFirst } from "./mounts/shallow-first.ts";
import { wayTo } from "./mounts/way-to.ts";

export interface MountPlan {
  readonly mounts: readonly Mount[];
  readonly placeholders: readonly Placeholder[];
  /** What is missing where nothing can cover it, and must stay missing. */
  readonly absent: readonly AbsolutePath[];
  /** What is missing and would be hidden if it were there. */
  readonly unmade: readonly AbsolutePath[];
  /** What is mounted on only because of something that is hidden whatever the profile says. */
  readonly fleeting: readonly AbsolutePath[];
  /** What the mounts add up to, on real paths and without globs. */
  readonly view: BoundProfile;
}

export interface MountFacts {
  readonly files: FileFacts;
  readonly own: OwnPaths;
  /** Paths of the host that are hidden whatever the profile says. */
  readonly unseen: readonly AbsolutePath[];
}

/** Plans the file system view of a profile. Throws {@link SandboxError} rather than weaken it. */
export function planMounts(profile: BoundProfile, given: MountFacts): MountPlan {
  const { files: facts, own, unseen } = given;
  const rules = realRules(profile, facts, own);
  const globs = profile.files.type === "restricted" ? profile.files.globs : [];
  refuseKernelPatterns(globs);
  if (globs.length > 0) refuseUnsearched(rules.rules, globs, facts.kernelMounts());
  const found = facts.matchesOf(globs);
  refuseTurnable(found, rules.profile, facts);
  const matches = found.map(({ path }) => path);
  const draft = new Draft(rules, facts, unseen.filter(isOfKernel));
  for (const rule of shallowFirst(rules.rules)) {
    // A pattern denies whatever else is granted, also what is granted inside a match. Nothing is denied
    // there once more: what would pin the folders on the way to it would open them.
    const match = matches.find(
      (one) => isWithin(rule.path, one) && (rule.access !== "deny" || rule.path !== one),
    );
    if (match === undefined) draft.add(inDeniedFolder(rule, profile, rules.profile));
    // Moved elsewhere it would lie open to the next command: the pattern may not match it there.
    else if (rule.access !== "write") draft.pinAbove(match);
  }
  const patterns = globCursor(globs);
  const pins = found.flatMap((match) => draft.hideMatch(match, patterns));
  const fleeting = unseen
    .filter((path) => !isOfKernel(path))
    .flatMap((path) => draft.hideUnseen(resolvePath(path, facts).real));
  const planned = draft.finish();
  refuseManyMounts(planned.mounts.length, { matches: found, pins, fleeting });
  return { ...planned, fleeting, view: rules.profile };
}

function isOfKernel(path: AbsolutePath): boolean {
  return path.startsWith("/proc/");
}

class Draft {
  readonly #profile: BoundProfile;
  readonly #facts: FileFacts;
  readonly #links: RealRules["links"];
  readonly #mounts = new Map<AbsolutePath, Mount>();
  readonly #placeholders = new Map<AbsolutePath, Placeholder>();
  readonly #absent = new Set<AbsolutePath>();
  readonly #unmade = new Set<AbsolutePath>();
  readonly #base: "read" | "write" | "deny";

  readonly #unseenProcesses: readonly AbsolutePath[];

  constructor(
    { profile, links }: RealRules,
    facts: FileFacts,
    unseenProcesses: readonly AbsolutePath[],
  ) {
    this.#unseenProcesses = unseenProcesses;
    this.#profile = profile;
    this.#facts = facts;
    this.#links = links;
    this.#base = accessTo(profile, "/" as AbsolutePath);
  }

  add(rule: RealRule): void {
    if (rule.path === "/") return;
    refuseKernelPath(rule);
    const outer = accessTo(this.#profile, parentOf(rule.path));
    if (outer === rule.access) return;
    if (rule.missing !== undefined) this.#cover(rule, rule.missing);
    else this.#mount(rule, outer);
  }

  /** What nobody may see; all that is mounted on for that alone. */
  hideUnseen(path: AbsolutePath): AbsolutePath[] {
    const isRuled = this.#mounts.has(path);
    const isHidden = this.#isHidden(path);
    this.hide(path);
    // A command that could move its folder away would leave it open to the next one.
    return isRuled || isHidden ? [] : [path, ...this.pinAbove(path)];
  }

  /** What a pattern matches. Few of its folders are pinned: there may be many, and names can be made anew. */
  hideMatch({ path, links }: GlobMatch, patterns: GlobCursor): readonly AbsolutePath[] {
    if (this.#isHidden(path)) return [];
    const way = wayTo(path, this.#mounts, this.#profile);
    const mount = parentOf(way.at(-1)?.path ?? path);
    const reaching = patternsAt(mount, { links, patterns }, this.#facts);
    const pins = this.#pin(foldersToPin(path, way, reaching));
    this.hide(path);
    return pins;
  }

  hide(path: AbsolutePath): void {
    if (this.#isHidden(path)) return;
    const folder = this.#facts.kindOf(path) === "directory";
    const mount = folder
      ? { op: "hideFolder" as const, traversable: false }
      : { op: "hideFile" as const };
    this.#mounts.set(path, { ...mount, path });
    for (const [at, { op }] of this.#mounts) {
      if (op === "pin" && isWithin(at, path) && !this.#isReopened(at, path))
        this.#mounts.delete(at);
    }
  }

  /** Whether a rule opens a place inside the hidden folder that this one lies in; a pin alone must not. */
  #isReopened(path: AbsolutePath, hidden: AbsolutePath): boolean {
    for (let at = parentOf(path); isWithin(at, hidden) && at !== hidden; at = parentOf(at)) {
      if (this.#mounts.get(at)?.op === "bind") return true;
    }
    return false;
  }

  /** Hidden by a mount that is really there, not only by a rule. */
  #isHidden(path: AbsolutePath): boolean {
    for (let at = path; at !== "/"; at = parentOf(at)) {
      const op = this.#mounts.get(at)?.op;
      if (op !== undefined) return op === "hideFolder" || (op === "hideFile" && at === path);
    }
    return this.#base === "deny";
  }

  finish(): Omit<MountPlan, "fleeting" | "view"> {
    const ordered = shallowFirst([...this.#mounts.values()].map(withPath));
    const hidden = ordered.filter((mount) => mount.op === "hideFolder");
    const isMount = (path: AbsolutePath) => this.#mounts.has(path);
    const mounts = [
      ...baseMounts(this.#base, this.#processes()),
      ...(this.#base === "deny" ? this.#linkMounts() : []),
      ...ordered.flatMap((mount) => [
        ...passagesTo(mount.path, hidden, isMount),
        opened(mount, ordered),
      ]),
      ...hidden.map(({ path }): Mount => ({ op: "seal", path })),
      ...(this.#base === "deny" ? [{ op: "seal", path: "/" as AbsolutePath } as const] : []),
    ];
    // Made in this order: a folder before what lies in it.
    const placeholders = shallowFirst([...this.#placeholders.values()]);
    return { mounts, placeholders, absent: [...this.#absent], unmade: [...this.#unmade] };
  }

  #mount(rule: RealRule, outer: "read" | "write" | "deny"): void {
    if (outer === "write") {
      this.pinAbove(rule.path);
      this.#hold(rule.path, this.#facts.kindOf(rule.path) === "directory" ? "folder" : "file");
    }
    this.#put(rule);
  }

  /** Below a writable place the command could make what is missing; there it is made first and covered. */
  #cover(rule: RealRule, missing: AbsolutePath): void {
    const above = accessTo(this.#profile, parentOf(missing));
    if (rule.access === "deny") this.#unmade.add(above === "write" ? rule.path : missing);
    // Only the host could make it there, and then nothing would hide it.
    if (above === "read" && rule.access === "deny") this.#absent.add(missing);
    if (above !== "write" || rule.access === "write") return;
    if (!this.#facts.canMakeIn(parentOf(missing))) {
      // The command is the same user: what nobody but another can make, only has to stay missing.
      // Another's folder in one of its own it could still move away, and put its own there.
      this.pinAbove(missing);
      this.#absent.add(missing);
      return;
    }
    if (this.#facts.kindOf(parentOf(missing)) !== "directory") throw notInFolder(rule, missing);
    const closed = this.#placeToClose(rule, missing);
    this.pinAbove(closed);
    this.#make(closed, parentOf(missing));
    if (!this.#isHidden(closed)) this.#mounts.set(closed, { op: "bindReadOnly", path: closed });
    if (rule.access !== "deny") return;
    // What the host puts there while the command runs must be hidden as what was there before.
    this.#make(rule.path, closed);
    this.#mounts.set(rule.path, hidingOf(rule.path));
  }

  /**
   * A missing folder is closed as a whole. Not one of a protected name, which was granted and must stay
   * usable, nor one in which a rule opens a place: to reach that the folder is opened, and what else lies in it.
   */
  #placeToClose({ isName, path }: RealRule, missing: AbsolutePath): AbsolutePath {
    const { files } = this.#profile;
    const entries = files.type === "restricted" ? files.entries : [];
    const isOpened = entries.some((one) => one.access === "write" && isWithin(one.path, missing));
    return isName || isOpened ? path : missing;
  }

  /** A mount point with the folders that lead there from one that exists. */
  #make(path: AbsolutePath, existing: AbsolutePath): void {
    for (let at = path; at !== existing; at = parentOf(at)) this.#hold(at, "folder");
    if (isFileName(path)) this.#hold(path, "file");
  }

  /** What is there now may be the placeholder of another sandbox, so it is held as well. */
  #hold(path: AbsolutePath, kind: Placeholder["kind"]): void {
    this.#placeholders.set(path, { path, kind });
  }

  #put({ path, access }: RealRule): void {
    if (access === "write") this.#mounts.set(path, { op: "bind", path });
    else if (access === "read") this.#mounts.set(path, { op: "bindReadOnly", path });
    else if (this.#facts.kindOf(path) === "directory") {
      this.#mounts.set(path, { op: "hideFolder", path, traversable: false });
    } else this.#mounts.set(path, { op: "hideFile", path });
  }

  /** Every writable folder between a carve-out and the mount above it; those that were not pinned before. */
  pinAbove(path: AbsolutePath): readonly AbsolutePath[] {
    const way = wayTo(path, this.#mounts, this.#profile);
    return this.#pin(way.flatMap((folder) => (folder.isPinned ? [] : folder.path)));
  }

  #pin(folders: readonly AbsolutePath[]): readonly AbsolutePath[] {
    for (const path of folders) this.#mounts.set(path, { op: "pin", path });
    return folders;
  }

  #processes(): Mount {
    const isFolder = (path: AbsolutePath) => this.#facts.kindOf(path) === "directory";
    const hidden = this.#unseenProcesses.filter((path) => !isFolder(path));
    return { op: "processes", hidden, readOnly: this.#unseenProcesses.filter(isFolder) };
  }

  #linkMounts(): Mount[] {
    const links = new Map(this.#links.map((link) => [link.at, link.target]));
    return [...links].map(([path, target]) => ({ op: "link", path, target }));
  }
}

function notInFolder({ path, rule }: RealRule, missing: AbsolutePath): SandboxError {
  return new SandboxError(
    "unprotectablePath",
    `Cannot enforce ${rule} on "${path}": "${parentOf(missing)}" is not a folder, and the command may put one in its place`,
  );
}
