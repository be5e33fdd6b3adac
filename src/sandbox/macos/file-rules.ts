/**
 * What may be read, run and written.
 *
 * Only allowances with exceptions, no denials: what no region opens is closed
 * by the default. Running a program and mapping its code follow reading, so
 * that what is hidden cannot be run either.
 */
import { type AbsolutePath, accessTo, type BoundProfile } from "../../policy/index.ts";
import type { FileFacts } from "../files/file-facts.ts";
import { parentOf } from "../files/parent-of.ts";
import type { RealRules } from "../rules/real-rules.ts";
import { anySpelling } from "./any-spelling.ts";
import { below, exactly, type Parameters } from "./parameters.ts";
import { type Region, readableRegions, writableRegions } from "./regions.ts";
import { form, matching, rule, type Sbpl } from "./sbpl.ts";

/** What reading a file stands for. */
export const READING: readonly string[] = ["file-read*", "file-map-executable", "process-exec*"];

/** What rules are made from: the profile on real paths, the disk, and the names given to paths. */
export interface RuleSources {
  readonly real: RealRules;
  readonly files: FileFacts;
  readonly parameters: Parameters;
}

/** Whether the profile lets everything be read: it hides nothing, not even by a pattern. */
export function isFullRead({ files }: BoundProfile): boolean {
  if (files.type === "unrestricted") return true;
  const hides = files.globs.length > 0 || files.entries.some(({ access }) => access === "deny");
  return !hides && files.entries.some(({ path }) => path === "/");
}

/** What a profile opens of the disk, to read and to write. */
export function fileRules(sources: RuleSources): { read: Sbpl[]; write: Sbpl[] } {
  return { read: readRules(sources), write: writeRules(sources) };
}

/** One allowance per readable region, and the way to each. */
function readRules(sources: RuleSources): Sbpl[] {
  const { real, parameters } = sources;
  const regions = readableRegions(real);
  const filters = regions.map((region) =>
    regionFilter(region, sources, ["READABLE_ROOT", "READABLE_HOLE"]),
  );
  const passages = passagesTo(regions, real).map((path) =>
    exactly(parameters.add("PASSAGE", path)),
  );
  return [
    ...filters.map((filter) => rule("allow", READING, filter)),
    ...(passages.length > 0 ? [rule("allow", ["file-read-metadata"], passages)] : []),
  ];
}

/** One allowance per writable region. One that does not exist is not the command's to make. */
function writeRules(sources: RuleSources): Sbpl[] {
  return writableRegions(sources.real).map((region) =>
    rule(
      "allow",
      ["file-write*"],
      regionFilter(region, sources, ["WRITABLE_ROOT", "WRITABLE_HOLE"]),
    ),
  );
}

/** The filter of a region; none for one that is everything. */
function regionFilter(
  { root, holes }: Region,
  { files, parameters }: RuleSources,
  [rootRole, holeRole]: readonly [
    "READABLE_ROOT" | "WRITABLE_ROOT",
    "READABLE_HOLE" | "WRITABLE_HOLE",
  ],
): Sbpl[] {
  if (root.path === "/" && holes.length === 0) return [];
  const parameter = parameters.add(rootRole, root.path);
  const kind = files.kindOf(root.path);
  const whole = kind === "file" || kind === "special" ? exactly(parameter) : below(parameter);
  if (holes.length === 0) return [whole];
  const exceptions = holes.flatMap(({ path }) => {
    const hole = parameters.add(holeRole, path);
    return [exactly(hole), below(hole), matching(anySpelling(path, "below"))];
  });
  return [form("require-all", whole, ...exceptions.map((one) => form("require-not", one)))];
}

/** Closed folders and links on the way to an open place: they can be passed, not listed. */
function passagesTo(regions: readonly Region[], { profile, links }: RealRules): AbsolutePath[] {
  const ways = [...regions.map(({ root }) => root.path), ...links.map(({ at }) => at)];
  const passages = new Set(links.map(({ at }) => at));
  for (const way of ways) {
    for (let at = way; at !== "/"; ) {
      at = parentOf(at);
      passages.add(at);
    }
  }
  return [...passages].filter((path) => accessTo(profile, path) === "deny").sort();
}
