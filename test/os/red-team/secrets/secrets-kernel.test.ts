/** What the kernel knows of the host: its log, its addresses, its mounts, and the dumps it writes. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { attempts, layOut } from "../../support/later-attempts.ts";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode } from "../../support/sandbox-modes.ts";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

/** Number of syslog. */
const SYSLOG = process.arch === "arm64" ? 116 : 103;

const READS = [
  "dmesg | grep .",
  `perl -e "my \\$b = q( ) x 4096; exit(syscall(${SYSLOG}, 3, \\$b, 4096) > 0 ? 0 : 1)"`,
  "head -c 1 /dev/kmsg",
  "head -c 1 /proc/kmsg",
  "head -c 1 /proc/kcore",
  "grep -v '^0000000000000000' /proc/kallsyms | grep .",
  "grep -v 0x0000000000000000 /proc/modules | grep .",
  "cat /sys/module/*/sections/.text | grep -v 0x0000000000000000 | grep .",
  "head -c 1 /proc/slabinfo",
  "head -c 1 /proc/vmallocinfo",
  "head -c 1 /proc/timer_list",
];
const WRITES = ["/sys/kernel/uevent_helper", "/sys/kernel/mm/ksm/run", "/sys/power/state"].map(
  (file) => `echo 0 > ${file}`,
);

/** All that is asked in a mode, and a crash where the command cannot write. */
const asked = onceFor((place, mode: Mode) => {
  const flags = flagsOf(mode, place);
  const answers = inOneRun((command) => place.run(["run", ...flags, "--", ...command]), {
    kernel: `${attempts([...READS, ...WRITES])}\nhead -c 5 /proc/version`,
    mounts: "cut -d' ' -f5 /proc/self/mountinfo",
    crash: `ulimit -c unlimited 2>/dev/null; cd ${place.outside} && sh -c 'kill -SEGV $$'; echo $?`,
  });
  return { place, ...answers };
});

describe.each(USERS)("what the kernel tells, as %s", (user) => {
  it.each(MODES)("C12 shows neither the kernel's log nor its addresses in %s", (mode) => {
    expect(asked(user, mode).kernel.stdout).toBe("Linux");
  });

  it("C12 shows no mount of another run, and of hidden places the name alone", () => {
    const place = placeFor(user);
    layOut(place.workspace, { "s/inside-canary": "" });
    const file = path.join(place.outside, "p.toml");
    const toml = `extends = ":workspace"\n[filesystem.":workspace_roots"]\ns = "deny"\n`;
    fs.writeFileSync(file, toml);
    const { stdout } = place.sh("cat /proc/self/mountinfo /proc/self/mounts", ["--profile", file]);
    expect(stdout).toContain(` ${place.workspace}/s `);
    expect(stdout).not.toContain("inside-canary");
    expect(stdout).not.toMatch(/(oldroot|newroot|bwrap)/);
  });

  it("C12 shows under restricted reads no path of the host but those it was given", () => {
    const { place, mounts } = asked(user, "restricted-read");
    const paths = mounts.stdout.trim().split("\n");
    expect(paths).toContain(place.workspace);
    const open = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|etc|dev|proc|sys|nix|opt|run)?(\/|$)/;
    const strange = paths.filter((one) => !open.test(one) && !one.startsWith(place.workspace));
    expect(strange).toEqual([]);
  });

  it.each(["read-only", "workspace-write"] as const)(
    "C10 leaves no dump of a crash where a %s command cannot write",
    (mode) => {
      const { place, crash } = asked(user, mode);
      expect(crash.stdout.trim().split("\n").at(-1)).toBe("139");
      expect(fs.readdirSync(place.outside)).toEqual([]);
      const dumps = ["/", "/var/tmp", "/var/crash", path.dirname(place.workspace)]
        .filter((folder) => fs.existsSync(folder))
        .flatMap((folder) => fs.readdirSync(folder))
        .filter((name) => /^core(\.|$)/.test(name));
      expect(dumps).toEqual([]);
    },
  );
});
