import { locateNsenter } from "../anchor/locate-nsenter.ts";
import { distrustOf } from "../probe/distrust-of.ts";
import { locateBubblewrap } from "../probe/locate-bubblewrap.ts";

const OTHERS = [
  "/usr/bin/nsenter",
  "/usr/bin/prlimit",
  "/usr/bin/setsid",
  "/usr/bin/unshare",
] as const;

/** The programs that confine, as far as they can be trusted here; see `trustOnly`. */
export function trustedPrograms(): string[] {
  const { path: bwrap } = locateBubblewrap();
  const found = [...(bwrap === undefined ? [] : [bwrap]), locateNsenter(), ...OTHERS];
  return found.filter((program) => distrustOf(program) === undefined);
}
