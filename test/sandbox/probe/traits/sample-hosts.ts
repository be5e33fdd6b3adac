/** The files of several systems, as far as they are read, in the form those systems give them. */
import type { HostFiles } from "../../../../src/sandbox/probe/traits/host-files.ts";

export interface SampleHost {
  readonly files: Readonly<Record<string, string>>;
  /** Files and folders that this user may write to. */
  readonly writable?: readonly string[];
}

/** A host that has these files and no others. */
export function filesOf({ files, writable = [] }: SampleHost): HostFiles {
  return {
    read: (file) => files[file]?.trim(),
    exists: (file) => Object.keys(files).some((one) => one === file || one.startsWith(`${file}/`)),
    isWritable: (file) => writable.includes(file),
  };
}

const UBUNTU = `PRETTY_NAME="Ubuntu 24.04.1 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
ID=ubuntu
ID_LIKE=debian`;

const SESSION = "/user.slice/user-1000.slice/session-2.scope";

export const ubuntuRestricted: SampleHost = {
  files: {
    "/proc/version":
      "Linux version 6.8.0-35-generic (buildd@lcy02) (x86_64-linux-gnu-gcc-13) #35-Ubuntu SMP",
    "/etc/os-release": UBUNTU,
    "/proc/self/cgroup": `0::${SESSION}`,
    "/proc/self/mountinfo": `23 29 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
29 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
31 23 0:27 / /proc/sys/fs/binfmt_misc rw,relatime shared:14 - autofs systemd-1 rw,fd=29
34 24 0:29 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate`,
    [`/sys/fs/cgroup${SESSION}/cgroup.controllers`]: "cpu memory pids",
    "/proc/self/attr/current": "unconfined\n",
    "/proc/self/status": "Name:\tnode\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0",
    "/proc/1/comm": "systemd",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
    "/proc/sys/kernel/unprivileged_userns_clone": "1",
    "/proc/sys/user/max_user_namespaces": "127000",
    "/proc/sys/kernel/core_pattern": "|/usr/share/apport/apport -p%p -s%s -c%c -- %E",
    "/sys/kernel/security/lsm": "lockdown,capability,landlock,yama,apparmor",
    "/run/systemd/system/x": "",
  },
};

export const wsl2: SampleHost = {
  files: {
    "/proc/version":
      "Linux version 5.15.90.1-microsoft-standard-WSL2 (oe-user@oe-host) (x86_64-msft-linux-gcc) #1 SMP",
    "/etc/os-release": UBUNTU,
    "/proc/self/cgroup": "0::/init.scope",
    "/proc/self/mountinfo": `82 86 0:35 / /mnt/wsl rw,relatime shared:1 - tmpfs none rw
86 67 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered
101 96 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw,nsdelegate`,
    "/proc/1/comm": "systemd",
    "/proc/sys/kernel/core_pattern": "|/wsl-capture-crash %t %E %p %s",
    "/run/systemd/container": "wsl",
  },
};

export const wsl1: SampleHost = {
  files: {
    "/proc/version":
      "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1237-Microsoft",
    "/etc/os-release": UBUNTU,
  },
};

export const docker: SampleHost = {
  files: {
    "/proc/version": "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) #1 SMP",
    "/etc/os-release": 'NAME="Alpine Linux"\nID=alpine\nPRETTY_NAME="Alpine Linux v3.20"',
    "/proc/self/cgroup": "0::/",
    "/proc/self/mountinfo": `1042 899 0:60 / / rw,relatime master:312 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A
1043 1042 0:63 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1047 1045 0:29 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw,nsdelegate
932 1043 0:63 /bus /proc/bus ro,nosuid,nodev,noexec,relatime - proc proc rw
936 1043 0:67 / /proc/acpi ro,relatime - tmpfs tmpfs ro
937 1043 0:64 /null /proc/kcore rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755`,
    "/sys/fs/cgroup/cgroup.controllers": "cpu memory pids",
    "/proc/self/attr/current": "docker-default (enforce)\n",
    "/proc/self/status": "Name:\tnode\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1",
    "/proc/1/comm": "sh",
    "/.dockerenv": "",
    "/proc/sys/kernel/core_pattern": "core",
    "/sys/kernel/security/lsm": "lockdown,capability,yama,apparmor",
  },
};

export const podmanRootless: SampleHost = {
  files: {
    "/proc/version": "Linux version 6.10.6-200.fc40.x86_64 (mockbuild@x) (gcc (GCC) 14.2.1) #1 SMP",
    "/etc/os-release": 'PRETTY_NAME="Fedora Linux 40 (Container Image)"\nID=fedora',
    "/proc/self/cgroup": "0::/",
    "/proc/self/mountinfo": `620 591 0:52 / / rw,relatime - overlay overlay rw,context="x",lowerdir=/home/user/.local
621 620 0:55 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
633 621 0:58 /null /proc/kcore rw,nosuid,noexec - devtmpfs devtmpfs rw,size=4096k
627 624 0:28 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw,nsdelegate`,
    "/proc/self/status": "Name:\tnode\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1",
    "/proc/1/comm": "bash",
    "/run/.containerenv": 'engine="podman-5.2.2"\nrootless=1',
    "/sys/kernel/security/lsm": "lockdown,capability,yama,selinux,bpf,landlock",
  },
};

export const debian: SampleHost = {
  files: {
    "/proc/version": "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) #1 SMP",
    "/etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian',
    "/proc/self/cgroup": "0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope",
    "/proc/self/mountinfo": `24 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 25 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
31 24 0:30 / /media/my\\040disk rw,relatime - ext4 /dev/sdb rw`,
    "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope/cgroup.controllers":
      "memory pids",
    "/proc/1/comm": "systemd",
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/kernel/core_pattern": "core",
    "/run/systemd/system/x": "",
  },
  writable: [
    "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope",
    "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope/cgroup.procs",
  ],
};

/** Version 1, inside a container that sees its own part of each tree, as root. */
export const cgroupOne: SampleHost = {
  files: {
    "/proc/version": "Linux version 4.18.0-553.el8.x86_64 (mockbuild@x) (gcc version 8.5.0) #1 SMP",
    "/etc/os-release": 'PRETTY_NAME="Rocky Linux 8.10"\nID="rocky"\nID_LIKE="rhel centos fedora"',
    "/proc/self/cgroup": `11:cpu,cpuacct:/docker/4f0
9:memory:/docker/4f0
6:pids:/docker/4f0
1:name=systemd:/docker/4f0`,
    "/proc/self/mountinfo": `800 700 0:50 / / rw,relatime - overlay overlay rw
810 805 0:30 /docker/4f0 /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory
811 805 0:31 /docker/4f0 /sys/fs/cgroup/pids ro,nosuid - cgroup cgroup rw,pids
812 805 0:32 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct`,
    "/proc/1/comm": "bash",
    "/proc/sys/user/max_user_namespaces": "0",
  },
  writable: [
    "/sys/fs/cgroup/memory",
    "/sys/fs/cgroup/memory/cgroup.procs",
    "/sys/fs/cgroup/cpu,cpuacct/docker/4f0",
    "/sys/fs/cgroup/cpu,cpuacct/docker/4f0/cgroup.procs",
  ],
};

/** Inside a sandbox of writ: the marks of the container around it are still seen. */
export const sandboxed: SampleHost = {
  files: {
    ...Object.fromEntries(Object.entries(docker.files).filter(([file]) => file !== "/proc/1/comm")),
    "/proc/self/status": "Name:\tnode\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t2",
  },
};
