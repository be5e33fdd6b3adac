import { describe, expect, it } from "vitest";
import {
  fixByPackage,
  fixForControlGroups,
  fixForNamespace,
} from "../../../src/sandbox/probe/fix-for.ts";
import { hostTraits } from "../../../src/sandbox/probe/traits/host-traits.ts";
import * as samples from "./traits/sample-hosts.ts";

const traitsOf = (host: samples.SampleHost, uid = 1000) => hostTraits(samples.filesOf(host), uid);

describe("fixForNamespace", () => {
  it("loads a profile for bubblewrap alone instead of lifting the restriction", () => {
    const fix = fixForNamespace("user namespaces", traitsOf(samples.ubuntuRestricted));
    expect(fix?.split(" && ")).toEqual([
      "sudo apt-get install apparmor-profiles",
      "sudo install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/",
      "sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict",
    ]);
    expect(fix).not.toContain("sysctl");
  });

  it("does not blame the restriction for what root lacks", () => {
    expect(
      fixForNamespace("user namespaces", traitsOf(samples.ubuntuRestricted, 0)),
    ).toBeUndefined();
  });

  it.each([
    ["WSL 1", samples.wsl1, "wsl.exe --set-version DISTRIBUTION 2"],
    ["a switched-off Debian", samples.debian, "sudo sysctl -w kernel.unprivileged_userns_clone=1"],
    [
      "docker",
      samples.docker,
      "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined IMAGE",
    ],
    [
      "podman",
      samples.podmanRootless,
      "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL IMAGE",
    ],
    [
      "a container without a limit left",
      samples.cgroupOne,
      "sudo sysctl -w user.max_user_namespaces=15000",
    ],
  ])("gives user namespaces to %s", (_, host, fix) => {
    expect(fixForNamespace("user namespaces", traitsOf(host))).toBe(fix);
  });

  it("opens only /proc of a container that makes user namespaces but no process namespaces", () => {
    expect(fixForNamespace("process namespaces", traitsOf(samples.docker))).toBe(
      "docker run --security-opt systempaths=unconfined IMAGE",
    );
    expect(fixForNamespace("network namespaces", traitsOf(samples.docker))).toBeUndefined();
  });

  it("tells a pod what to set", () => {
    const files = { ...samples.docker.files, "/var/run/secrets/kubernetes.io/token": "" };
    expect(fixForNamespace("user namespaces", traitsOf({ files }))).toBe(
      "set in the securityContext: seccompProfile.type=Unconfined, appArmorProfile.type=Unconfined, procMount=Unmasked",
    );
  });

  it("advises nothing inside a sandbox of our own", () => {
    expect(fixForNamespace("user namespaces", traitsOf(samples.sandboxed))).toBeUndefined();
  });
});

describe("fixByPackage", () => {
  it.each([
    ["Debian", samples.debian, 1000, "sudo apt-get install bubblewrap"],
    ["Fedora", samples.podmanRootless, 1000, "sudo dnf install bubblewrap"],
    ["what is like Fedora, as root", samples.cgroupOne, 0, "dnf install bubblewrap"],
    ["Alpine", samples.docker, 0, "apk add bubblewrap"],
    ["an unknown system", { files: {} }, 0, "install the package bubblewrap"],
  ])("installs on %s", (_, host, uid, fix) => {
    expect(fixByPackage("bubblewrap", traitsOf(host, uid))).toBe(fix);
  });
});

describe("fixForControlGroups", () => {
  it("asks systemd where it runs, for an ordinary user", () => {
    expect(fixForControlGroups(traitsOf(samples.debian))).toContain("Delegate=yes");
    expect(fixForControlGroups(traitsOf(samples.docker))).toBeUndefined();
    expect(fixForControlGroups(traitsOf(samples.wsl2))).toBeUndefined();
  });
});
