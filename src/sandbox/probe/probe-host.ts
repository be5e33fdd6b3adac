/**
 * Asks this host, once, what it can enforce with.
 *
 * What can be tried is tried, side by side and each with a time-out; what the
 * host says of itself only explains the outcome.
 */
import { aboutHost } from "./about-host.ts";
import { locateBubblewrap } from "./locate-bubblewrap.ts";
import type { HostFacts, Primitive } from "./primitive.ts";
import { probeBubblewrap } from "./probe-bubblewrap.ts";
import { probeFeatures } from "./probe-features.ts";
import { isolationWithout, probeIsolation } from "./probe-isolation.ts";
import { realHostFiles } from "./traits/host-files.ts";
import { type HostTraits, hostTraits } from "./traits/host-traits.ts";

let known: Promise<HostFacts> | undefined;

/** The facts about this host; probed at the first call. */
export function probeHost(): Promise<HostFacts> {
  known ??= probe();
  return known;
}

async function probe(): Promise<HostFacts> {
  const uid = process.getuid?.() ?? -1;
  if (process.platform !== "linux") {
    return { bwrap: undefined, arch: process.arch, uid, primitives: [otherSystem()] };
  }
  const { path: bwrap, primitive } = locateBubblewrap();
  const traits = hostTraits(realHostFiles, uid);
  const [needed, useful] = await Promise.all([
    bwrap === undefined ? [primitive, ...isolationWithout("bubblewrap")] : tryAll(bwrap, traits),
    probeFeatures(traits),
  ]);
  const primitives = [...explain(needed, traits), ...useful, ...aboutHost(traits)];
  return { bwrap, arch: process.arch, uid, primitives };
}

/** One that does not even tell its version says nothing about the kernel. */
async function tryAll(bwrap: string, traits: HostTraits): Promise<Primitive[]> {
  const [own, isolation] = await Promise.all([
    probeBubblewrap(bwrap, traits),
    probeIsolation(bwrap, traits),
  ]);
  const [first] = own;
  if (first?.present === false) return [first, ...isolationWithout("bubblewrap")];
  return [...own, ...isolation];
}

/** Whatever else was refused in a sandbox, the sandbox is why. */
function explain(needed: readonly Primitive[], { container }: HostTraits): Primitive[] {
  return needed.map((one) => {
    const caused = container === "bubblewrap" && one.name === "user namespaces" && !one.present;
    return caused ? { ...one, detail: "writ is inside a sandbox itself" } : one;
  });
}

function otherSystem(): Primitive {
  const detail = `there is no sandbox for ${process.platform}`;
  return { name: "Linux", level: "needed", present: false, detail };
}
