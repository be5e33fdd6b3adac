/** What single features rest on: limits, terminals, layers. Without one the rest still works. */
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { distrustOf } from "./distrust-of.ts";
import { fixByPackage, fixForControlGroups } from "./fix-for.ts";
import type { Primitive } from "./primitive.ts";
import { runBounded } from "./run-bounded.ts";
import { findControlGroups } from "./traits/find-control-groups.ts";
import { realHostFiles } from "./traits/host-files.ts";
import type { HostTraits } from "./traits/host-traits.ts";

const PROGRAMS = ["/usr/bin/setsid", "/usr/bin/prlimit"];
const UNSHARE = "/usr/bin/unshare";

/** Everything happens on a file system in memory that ends with the namespace. */
const OVERLAY_SCRIPT = `
  mount -t tmpfs none /tmp && cd /tmp && mkdir lower upper work all && echo old >lower/file &&
  mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work,userxattr all &&
  echo new >all/file && read -r below <lower/file && read -r above <upper/file &&
  echo $below $above`;

/** The useful primitives of this host. */
export async function probeFeatures(traits: HostTraits): Promise<Primitive[]> {
  return [controlGroups(traits), programs(traits), terminals(), await overlays(traits)];
}

function controlGroups(traits: HostTraits): Primitive {
  const { version, folders } = findControlGroups(realHostFiles);
  const present = folders.has("memory") || folders.has("pids");
  const fix = present ? undefined : fixForControlGroups(traits);
  return {
    ...useful("control groups", "limits"),
    present,
    detail: present
      ? `version ${version}: ${[...folders.keys()].join(", ")}`
      : "none that this user may divide",
    ...(fix !== undefined && { fix }),
  };
}

function programs(traits: HostTraits): Primitive {
  const missing = PROGRAMS.filter((program) => !existsSync(program));
  const distrusted = PROGRAMS.flatMap((program) => distrustOf(program) ?? []);
  const present = distrusted.length === 0;
  return {
    ...useful("util-linux", "limits, terminals"),
    present,
    detail: present ? "setsid, prlimit" : (distrusted[0]?.detail ?? ""),
    ...(missing.length > 0 && {
      detail: `no ${missing.join(", ")}`,
      fix: fixByPackage("util-linux", traits),
    }),
  };
}

function terminals(): Primitive {
  try {
    closeSync(openSync("/dev/ptmx", constants.O_RDWR | constants.O_NOCTTY));
    return { ...useful("pseudo-terminals", "terminals"), present: true, detail: "/dev/ptmx opens" };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ...useful("pseudo-terminals", "terminals"), present: false, detail };
  }
}

async function overlays(traits: HostTraits): Promise<Primitive> {
  const kind = useful("overlay mounts", "layers");
  if (!existsSync(UNSHARE)) {
    const fix = fixByPackage("util-linux", traits);
    return { ...kind, present: false, detail: `no ${UNSHARE} to try with`, fix };
  }
  const distrust = distrustOf(UNSHARE);
  if (distrust !== undefined) return { ...kind, present: false, detail: distrust.detail };
  const { stdout, failure } = await runBounded([UNSHARE, "-Urm", "/bin/sh", "-c", OVERLAY_SCRIPT]);
  const present = stdout.trim() === "old new";
  return { ...kind, present, detail: present ? "folders can be layered" : failure };
}

function useful(name: string, feature: string) {
  return { name, level: "useful" as const, feature };
}
