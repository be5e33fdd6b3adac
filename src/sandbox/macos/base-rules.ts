/**
 * What every command gets, whatever its profile says.
 *
 * Everything is denied but what a process needs to be one: children, signals
 * among its own, facts about the machine, the devices without content. No
 * service that starts programs or sends Apple Events can be looked up, so
 * `open` and `osascript` reach nobody, and only the user database answers.
 */
import type { LaunchRequest } from "../launch-plan.ts";
import { form, matching, named, rule, type Sbpl } from "./sbpl.ts";

/** Facts about the machine by prefix; arguments of other processes (`kern.procargs2`) are not among them. */
const MACHINE_FACTS = [
  "hw.",
  "machdep.cpu.",
  "vm.",
  "kern.os",
  "kern.proc.pgrp.",
  "kern.proc.pid.",
];
const KERNEL_FACTS = [
  "kern.argmax",
  "kern.boottime",
  "kern.hostname",
  "kern.iossupportversion",
  "kern.maxfilesperproc",
  "kern.maxproc",
  "kern.ngroups",
  "kern.secure_kernel",
  "kern.usrstack64",
  "kern.version",
  "sysctl.name2oid",
  "sysctl.proc_cputype",
];

const SAME_SANDBOX = form("target", "same-sandbox");

/** Terminals that the command opened itself carry this mark. */
const OWN_TERMINAL = named("extension", "com.apple.sandbox.pty");
const ANY_TERMINAL = matching("^/dev/(tty|pty|cu|console).*$");

const PROCESS: readonly Sbpl[] = [
  form("version", "1"),
  rule("deny", ["default"]),
  rule("allow", ["process-fork"]),
  rule("allow", ["signal", "process-info*"], [SAME_SANDBOX]),
  rule(
    "allow",
    ["sysctl-read"],
    [
      ...MACHINE_FACTS.map((name) => named("sysctl-name-prefix", name)),
      ...KERNEL_FACTS.map((name) => named("sysctl-name", name)),
    ],
  ),
  rule("allow", ["mach-lookup"], [named("global-name", "com.apple.system.opendirectoryd.libinfo")]),
  rule("allow", ["ipc-posix-sem"]),
  // OpenMP leaves a note with its process number; without it numeric libraries do not load.
  rule(
    "allow",
    ["ipc-posix-shm*"],
    [form("ipc-posix-name-regex", { kind: "regex", pattern: "^/__KMP_REGISTERED_LIB_[0-9]+$" })],
  ),
];

const DEVICES: readonly Sbpl[] = [
  rule(
    "allow",
    ["file-read*", "file-write-data", "file-ioctl"],
    [
      named("literal", "/dev/null"),
      named("literal", "/dev/zero"),
      named("literal", "/dev/dtracehelper"),
      named("subpath", "/dev/fd"),
    ],
  ),
  rule(
    "allow",
    ["file-read*"],
    [named("literal", "/dev/random"), named("literal", "/dev/urandom")],
  ),
  rule("allow", ["pseudo-tty"]),
  rule(
    "allow",
    ["file-read*", "file-write*", "file-ioctl"],
    [
      named("literal", "/dev/ptmx"),
      form("require-all", matching("^/dev/ttys[0-9]+$"), OWN_TERMINAL),
    ],
  ),
];

/** The start of every policy. A command with a terminal of its own may also use that one. */
export function baseRules(terminal: LaunchRequest["terminal"]): Sbpl[] {
  const controlling = [
    rule("allow", ["file-read*", "file-write-data", "file-ioctl"], [named("literal", "/dev/tty")]),
    rule("allow", ["file-ioctl"], [matching("^/dev/ttys[0-9]+$")]),
  ];
  return [...PROCESS, ...DEVICES, ...(terminal === "pty" ? controlling : [])];
}

/** The terminals of the user stay closed, also where the profile lets everything be read. */
export function terminalRules(terminal: LaunchRequest["terminal"]): Sbpl[] {
  const own = terminal === "pty" ? [named("literal", "/dev/tty")] : [];
  const others = [OWN_TERMINAL, ...own].map((one) => form("require-not", one));
  const filter = form("require-all", ANY_TERMINAL, ...others);
  return [rule("deny", ["file-read-data", "file-write-data"], [filter])];
}
