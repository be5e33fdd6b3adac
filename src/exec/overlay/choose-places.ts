/** Which folders of the host an anchor may have overlays on. */
import fs from "node:fs";
import {
  type AbsolutePath,
  isWithin,
  type PathUri,
  parseAbsolutePath,
} from "../../policy/index.ts";
import { anchorsFolder } from "../anchors/anchor-folder.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { pathOf } from "../intent/bind-intent.ts";
import { refuseRoot } from "../intent/refuse-root.ts";

/** Their paths. Throws {@link ExecError} for what cannot be kept apart from the host. */
export function choosePlaces(asked: readonly PathUri[], host: ExecHost): AbsolutePath[] {
  const places = asked.map((uri) => folderAt(pathOf(uri, "overlays", host)));
  for (const place of places) {
    refuseRoot(place, { field: "overlays" }, host);
    refuseOwn(place, host);
    refuseSystem(place);
  }
  return places;
}

/** Where programs, and what they load, come from. */
const SYSTEM = [
  ...["/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/run", "/sbin"],
  ...["/usr", "/gnu"],
].map((place) => parseAbsolutePath(place));

/**
 * What starts the sandboxes of such an anchor is itself among its overlays, without one. So a command must
 * not be able to change what a program loads; and in a folder of somebody else an overlay would let it
 * make, move and remove what this user may not.
 */
export function refuseSystem(place: AbsolutePath): void {
  const system = SYSTEM.find((one) => isWithin(place, one) || isWithin(one, place));
  if (system !== undefined) throw refusal(place, `programs of this host load from "${system}"`);
  if (fs.statSync(place).uid !== process.getuid?.()) {
    throw refusal(place, "it belongs to another user");
  }
}

/** Nothing may be mounted in a folder that gets one: an overlay shows what lies on its own disk. */
export function refuseMounts(places: readonly AbsolutePath[], mounts: readonly string[]): void {
  for (const [index, place] of places.entries()) {
    const other = places.find((one, at) => at !== index && isWithin(one, place));
    if (other !== undefined) throw refusal(place, `another overlay is to lie on "${other}"`);
    const inside = mounts.find((one) => one !== place && isWithin(parseAbsolutePath(one), place));
    if (inside !== undefined) throw refusal(place, `something is mounted on "${inside}"`);
  }
}

/** By its own name: a link may be turned later, and what is written by that name would be written where it leads. */
function folderAt(path: AbsolutePath): AbsolutePath {
  const real = realFolder(path);
  if (real === undefined) throw refusal(path, "it is no folder");
  if (real !== path) throw refusal(path, "a link leads to it", JSON.stringify(real));
  return path;
}

function realFolder(path: AbsolutePath): string | undefined {
  try {
    const real = fs.realpathSync(path);
    return real !== "/" && fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** What writ keeps must be kept where the next process finds it. */
function refuseOwn(place: AbsolutePath, { own, records }: ExecHost): void {
  const kept = [...own.hidden, records, anchorsFolder(records)];
  const near = kept.find((one) => isWithin(one, place) || isWithin(place, one));
  if (near !== undefined) throw refusal(place, `writ's own "${near}" lies there`);
}

function refusal(place: string, why: string, expected = "another folder"): ExecError {
  return new ExecError(
    "unenforceable",
    `Cannot keep writes apart from "${place}": ${why}, expected ${expected}`,
    { field: "overlays" },
  );
}
