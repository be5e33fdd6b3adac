import { describe, expect, it } from "vitest";
import { hostTraits } from "../../../../src/sandbox/probe/traits/host-traits.ts";
import * as samples from "./sample-hosts.ts";

const traitsOf = (host: samples.SampleHost) => hostTraits(samples.filesOf(host), 1000);

describe("hostTraits", () => {
  it("sees the restriction of Ubuntu 24.04", () => {
    expect(traitsOf(samples.ubuntuRestricted)).toEqual({
      uid: 1000,
      kernel: "6.8.0-35-generic",
      distribution: { name: "Ubuntu 24.04.1 LTS", install: "apt-get install" },
      wsl: undefined,
      container: undefined,
      systemd: true,
      filtered: false,
      profiled: false,
      procCovered: false,
      apparmorRestricts: true,
      switchedOff: [],
      rootPropagation: "shared",
      corePattern: "|/usr/share/apport/apport -p%p -s%s -c%c -- %E",
      landlock: "ABI 4 by kernel version",
    });
  });

  it.each([
    ["WSL 2", samples.wsl2, { wsl: 2, container: undefined, rootPropagation: "private" }],
    ["WSL 1", samples.wsl1, { wsl: 1, landlock: "too old a kernel" }],
    [
      "docker",
      samples.docker,
      {
        container: "docker",
        filtered: true,
        profiled: true,
        procCovered: true,
        rootPropagation: "slave",
        landlock: "not enabled",
        distribution: { name: "Alpine Linux v3.20", install: "apk add" },
      },
    ],
    [
      "rootless podman",
      samples.podmanRootless,
      {
        container: "podman",
        profiled: false,
        procCovered: true,
        landlock: "ABI 5 by kernel version",
      },
    ],
    [
      "Debian with user namespaces switched off",
      samples.debian,
      {
        container: undefined,
        switchedOff: ["kernel.unprivileged_userns_clone"],
        landlock: "ABI 2 by kernel version, not known whether enabled",
      },
    ],
    [
      "a container with version 1 control groups",
      samples.cgroupOne,
      {
        container: "docker",
        switchedOff: ["user.max_user_namespaces"],
        distribution: { name: "Rocky Linux 8.10", install: "dnf install" },
      },
    ],
    ["a sandbox inside a container", samples.sandboxed, { container: "bubblewrap" }],
  ])("describes %s", (_, host, traits) => {
    expect(traitsOf(host)).toMatchObject(traits);
  });

  it("knows nothing of a host without files, and does not fail", () => {
    expect(traitsOf({ files: {} })).toMatchObject({
      kernel: "unknown",
      distribution: { name: "unknown distribution", install: undefined },
      container: undefined,
      switchedOff: [],
      rootPropagation: "unknown",
      landlock: "too old a kernel",
    });
  });

  it.each([
    ["5.12.19", "too old a kernel"],
    ["5.13.0", "ABI 1"],
    ["6.2.0", "ABI 3"],
    ["6.9.1", "ABI 4"],
    ["6.10.0", "ABI 5"],
    ["6.12.1", "ABI 6"],
    ["6.18.0", "ABI 7"],
    ["7.0.1", "ABI 7"],
  ])("maps kernel %s to %s of Landlock", (kernel, abi) => {
    const files = {
      "/proc/version": `Linux version ${kernel} (a@b)`,
      "/sys/kernel/security/lsm": "landlock",
    };
    expect(traitsOf({ files }).landlock.split(" by ")[0]).toBe(abi);
  });
});

describe("findContainer", () => {
  it.each([
    [
      "kubernetes",
      { "/var/run/secrets/kubernetes.io/serviceaccount/token": "t", "/.dockerenv": "" },
    ],
    [
      "kubernetes",
      { "/proc/self/cgroup": "0::/kubepods.slice/kubepods-burstable.slice/cri-a.scope" },
    ],
    ["podman", { "/proc/self/cgroup": "0::/machine.slice/libpod-4f0.scope" }],
    ["lxc", { "/run/systemd/container": "lxc-libvirt" }],
    ["systemd-nspawn", { "/run/systemd/container": "systemd-nspawn" }],
    ["unknown", { "/run/systemd/container": "something-new" }],
    ["bubblewrap", { "/proc/1/comm": "bwrap", "/run/.containerenv": "" }],
  ])("finds %s", (container, files) => {
    expect(traitsOf({ files: { "/proc/1/comm": "init", ...files } }).container).toBe(container);
  });

  it("takes a hidden first process alone for no sandbox", () => {
    const files = { "/proc/self/status": "NoNewPrivs:\t1\nSeccomp:\t0" };
    expect(traitsOf({ files }).container).toBeUndefined();
  });
});
