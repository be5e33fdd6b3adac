/**
 * The narrowest way to what is missing, as something to run on this host.
 *
 * Narrow beats short: a profile for bubblewrap alone rather than user namespaces
 * for every program, and of a container's locks only those that are shut.
 */
import type { HostTraits } from "./traits/host-traits.ts";

/** The profile that Ubuntu ships for bubblewrap: it may make namespaces, what it starts may not. */
const PROFILE = "bwrap-userns-restrict";
const LOAD_PROFILE = [
  `install -m 644 /usr/share/apparmor/extra-profiles/${PROFILE} /etc/apparmor.d/`,
  `apparmor_parser -r /etc/apparmor.d/${PROFILE}`,
];

/** Kernel settings by the primitive they switch off. */
const SETTINGS: Readonly<Record<string, RegExp>> = {
  "user namespaces": /userns_clone|max_(user|mnt)_/,
  "network namespaces": /max_net_/,
  "process namespaces": /max_pid_/,
  "other namespaces": /max_(ipc|uts|cgroup)_/,
};

/** The command with what an ordinary user needs in front of it. */
export function asRoot(command: string, { uid }: Pick<HostTraits, "uid">): string {
  return uid === 0 ? command : `sudo ${command}`;
}

/** How a package gets onto this host. */
export function fixByPackage(name: string, traits: HostTraits): string {
  const { install } = traits.distribution;
  return install === undefined
    ? `install the package ${name}`
    : asRoot(`${install} ${name}`, traits);
}

/** What helps when a namespace could not be made; nothing when nothing on this host does. */
export function fixForNamespace(name: string, traits: HostTraits): string | undefined {
  if (traits.wsl === 1) return "wsl.exe --set-version DISTRIBUTION 2";
  const setting = traits.switchedOff.find((one) => SETTINGS[name]?.test(one));
  if (setting !== undefined) {
    const value = setting.startsWith("user.") ? 15_000 : 1;
    return asRoot(`sysctl -w ${setting}=${value}`, traits);
  }
  if (traits.container !== undefined) return fixForContainer(name, traits);
  if (traits.apparmorRestricts && traits.uid !== 0) return loadProfile(traits);
  return undefined;
}

/** What helps when our control group is not ours to divide. */
export function fixForControlGroups(traits: HostTraits): string | undefined {
  if (traits.container !== undefined || traits.uid === 0 || !traits.systemd) return undefined;
  return "systemd-run --user --scope -p Delegate=yes writ ...";
}

function loadProfile(traits: HostTraits): string {
  const steps = LOAD_PROFILE.map((step) => asRoot(step, traits));
  return [fixByPackage("apparmor-profiles", traits), ...steps].join(" && ");
}

/** What keeps a container from making namespaces. */
type Lock = "seccomp" | "apparmor" | "proc";

const DOCKER: Readonly<Record<Lock, string>> = {
  seccomp: "--security-opt seccomp=unconfined",
  apparmor: "--security-opt apparmor=unconfined",
  proc: "--security-opt systempaths=unconfined",
};
const PODMAN = { ...DOCKER, proc: "--security-opt unmask=ALL" };
const POD: Readonly<Record<Lock, string>> = {
  seccomp: "seccompProfile.type=Unconfined",
  apparmor: "appArmorProfile.type=Unconfined",
  proc: "procMount=Unmasked",
};

function fixForContainer(name: string, traits: HostTraits): string | undefined {
  const locks = shutLocks(name, traits);
  if (locks.length === 0) return undefined;
  const each = (words: Readonly<Record<Lock, string>>) => locks.map((lock) => words[lock]);
  switch (traits.container) {
    case "docker":
      return `docker run ${each(DOCKER).join(" ")} IMAGE`;
    case "podman":
      return `podman run ${each(PODMAN).join(" ")} IMAGE`;
    case "kubernetes":
      return `set in the securityContext: ${each(POD).join(", ")}`;
    case "lxc":
      return "lxc config set CONTAINER security.nesting=true";
    default:
      return undefined;
  }
}

/** Only those that are shut; a covered `/proc` stops nothing but its own mount. */
function shutLocks(name: string, traits: HostTraits): Lock[] {
  const users = name === "user namespaces";
  const shut: Readonly<Record<Lock, boolean>> = {
    seccomp: users && traits.filtered,
    apparmor: users && traits.profiled,
    proc: (users || name === "process namespaces") && traits.procCovered,
  };
  return (["seccomp", "apparmor", "proc"] as const).filter((lock) => shut[lock]);
}
