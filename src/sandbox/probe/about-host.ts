import type { Primitive } from "./primitive.ts";
import type { HostTraits } from "./traits/host-traits.ts";

/** What kind of host this is: it decides nothing, but explains the rest. */
export function aboutHost(traits: HostTraits): Primitive[] {
  const { distribution, kernel, uid, wsl, container, rootPropagation, corePattern } = traits;
  const piped = corePattern.startsWith("|");
  const shared = rootPropagation === "shared" || rootPropagation === "slave";
  return [
    about("system", `${distribution.name}, Linux ${kernel}, ${process.arch}`),
    about("user", uid === 0 ? "root" : String(uid)),
    about("container", container ?? "none", container !== undefined),
    about("WSL", wsl === undefined ? "no" : String(wsl), wsl !== undefined),
    about(
      "AppArmor",
      traits.apparmorRestricts ? "restricts user namespaces" : "lets user namespaces be",
      traits.apparmorRestricts,
    ),
    about("mounts of /", `${rootPropagation}${shared ? ", later ones reach sandboxes" : ""}`),
    about("core files", piped ? "piped to a program of the host" : "written by the kernel", piped),
    about("Landlock", traits.landlock, traits.landlock.startsWith("ABI")),
  ];
}

function about(name: string, detail: string, present = true): Primitive {
  return { name, level: "about", present, detail };
}
