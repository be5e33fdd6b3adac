import type { MountedPath } from "./read-mount-table.ts";

/**
 * Where else each of these may be found, because what it lies in is mounted at several places of the
 * host. Pure. Nobody has looked whether something is there: another mount may lie above it.
 */
export function mountedElsewhere(
  places: readonly string[],
  mounts: readonly MountedPath[],
): string[] {
  const devices = Map.groupBy(mounts, ({ device }) => device);
  const shared = [...devices.values()].filter(({ length }) => length > 1);
  return shared.flatMap((same) => places.flatMap((place) => othersOf(place, same)));
}

/** By mounts of one file system. */
function othersOf(place: string, same: readonly MountedPath[]): string[] {
  const inside = same.flatMap(({ path, root }) => joined(root, restBelow(path, place)));
  const names = inside.flatMap((one) =>
    same.flatMap(({ path, root }) => joined(path, restBelow(root, one))),
  );
  return [...new Set(names)].filter((name) => name !== place);
}

/** What leads on from a folder, with a slash before it; nothing where the place is not in there. */
function restBelow(folder: string, place: string): string | undefined {
  if (folder === "/" || place === folder) return folder === "/" ? place : "";
  return place.startsWith(`${folder}/`) ? place.slice(folder.length) : undefined;
}

function joined(folder: string, rest: string | undefined): string[] {
  if (rest === undefined) return [];
  return [folder === "/" ? rest : `${folder}${rest}`];
}
