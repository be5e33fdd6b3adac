/** Finds what enters a network that is held, in fixed places only, as `locateBubblewrap` does. */
import { existsSync } from "node:fs";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { distrustOf } from "../probe/distrust-of.ts";
import { fixByPackage } from "../probe/fix-for.ts";
import { realHostFiles } from "../probe/traits/host-files.ts";
import { hostTraits } from "../probe/traits/host-traits.ts";
import { SandboxError } from "../sandbox-error.ts";

const PLACES = ["/usr/bin/nsenter", "/bin/nsenter", "/run/current-system/sw/bin/nsenter"];

/** One that was found stays; one that was missing may be installed meanwhile. */
let known: AbsolutePath | undefined;

/** The first one that can be trusted. Throws {@link SandboxError} with the way to one where there is none. */
export function locateNsenter(places?: readonly string[]): AbsolutePath {
  if (places !== undefined) return lookIn(places);
  known ??= lookIn(PLACES);
  return known;
}

function lookIn(places: readonly string[]): AbsolutePath {
  const there = places.filter((place) => existsSync(place));
  const good = there.find((place) => distrustOf(place) === undefined);
  if (good !== undefined) return parseAbsolutePath(good);
  const [bad] = there;
  const why = bad === undefined ? `not in ${places.join(", ")}` : distrustOf(bad)?.detail;
  const traits = hostTraits(realHostFiles, process.getuid?.() ?? -1);
  throw new SandboxError(
    "unsupportedHost",
    `Cannot make a sandbox: this host has no nsenter that can be trusted (${why}). Fix: ${fixByPackage("util-linux", traits)}`,
  );
}
