/**
 * Finds bubblewrap in fixed places only: a program that a command could have
 * planted on the PATH, in the working directory or in a writable root must never
 * become the thing that confines it. Starts nothing.
 */
import { existsSync } from "node:fs";
import { type Distrust, distrustOf } from "./distrust-of.ts";
import { asRoot, fixByPackage } from "./fix-for.ts";
import type { Primitive } from "./primitive.ts";
import { realHostFiles } from "./traits/host-files.ts";
import { hostTraits } from "./traits/host-traits.ts";

/** Where bubblewrap is; nothing when none can be trusted, and then why. */
export interface Located {
  readonly path: string | undefined;
  readonly primitive: Primitive;
}

const PLACES = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

/** A bubblewrap that was found stays; one that was missing may be installed meanwhile. */
let known: Located | undefined;

/** The first place that holds one that can be trusted. */
export function locateBubblewrap(places?: readonly string[]): Located {
  if (places !== undefined) return lookIn(places);
  if (known?.path !== undefined) return known;
  known = lookIn(PLACES);
  return known;
}

function lookIn(places: readonly string[]): Located {
  const there = places
    .filter((place) => existsSync(place))
    .map((place) => ({ place, distrust: distrustOf(place) }));
  const good = there.find(({ distrust }) => distrust === undefined);
  if (good !== undefined) {
    return { path: good.place, primitive: primitive(true, good.place) };
  }
  return { path: undefined, primitive: lack(there[0]?.distrust, places) };
}

/** Only a failure pays for reading what kind of host this is. */
function lack(distrust: Distrust | undefined, places: readonly string[]): Primitive {
  const traits = hostTraits(realHostFiles, process.getuid?.() ?? -1);
  if (distrust === undefined) {
    const detail = `not in ${places.slice(0, 3).join(", ")}`;
    return { ...primitive(false, detail), fix: fixByPackage("bubblewrap", traits) };
  }
  const { detail, fix } = distrust;
  return { ...primitive(false, detail), ...(fix !== undefined && { fix: asRoot(fix, traits) }) };
}

function primitive(present: boolean, detail: string): Primitive {
  return { name: "bubblewrap", level: "needed", present, detail };
}
