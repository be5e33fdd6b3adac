/**
 * Tries each kind of isolation through bubblewrap, as a sandbox will use it: a
 * file that says "allowed" is not a namespace. What is tried proves itself from
 * inside with words of the shell alone, since the host may have little else.
 */
import { ACTION } from "../linux/seccomp/action.ts";
import { assemble } from "../linux/seccomp/assemble.ts";
import { AUDIT_ARCH, type LinuxArch, SECCOMP_ABI } from "../linux/seccomp/seccomp-abi.ts";
import { fixForNamespace } from "./fix-for.ts";
import { NEEDED, type Primitive } from "./primitive.ts";
import { runBounded } from "./run-bounded.ts";
import type { HostTraits } from "./traits/host-traits.ts";

interface Attempt {
  readonly name: (typeof NEEDED)[number];
  readonly flags: readonly string[];
  /** Prints `yes` when it finds itself isolated. */
  readonly script: string;
  readonly detail: string;
  readonly input?: Uint8Array;
}

const NAMESPACES: readonly Attempt[] = [
  {
    name: "user namespaces",
    flags: [],
    script: "read -r _ _ count </proc/self/uid_map; [ $count != 4294967295 ] && echo yes",
    detail: "one can be made",
  },
  {
    name: "network namespaces",
    flags: ["--unshare-net"],
    script:
      "while read -r _ address; do [ _$address = _127.0.0.1 ] && echo yes && break; done </proc/net/fib_trie",
    detail: "with a loopback of its own",
  },
  {
    name: "process namespaces",
    flags: ["--unshare-pid", "--proc", "/proc"],
    script: "read -r pid _ </proc/self/stat; [ $pid = $$ ] && [ $pid -lt 10 ] && echo yes",
    detail: "with a /proc of its own",
  },
  {
    name: "other namespaces",
    flags: ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup"],
    script: "echo yes",
    detail: "IPC, host name, control groups",
  },
];

/** chdir(2): a call that a shell makes when asked to, and whose refusal it survives. */
const CHDIR: Readonly<Record<LinuxArch, number>> = { x64: 80, arm64: 49 };

/** What namespaces and filters do here; on a host without the first nothing else is tried. */
export async function probeIsolation(bwrap: string, traits: HostTraits): Promise<Primitive[]> {
  const filter = filterAttempt(process.arch);
  const attempts = [...NAMESPACES, ...(filter === undefined ? [] : [filter])];
  const tried = await Promise.all(attempts.map((attempt) => tryOut(bwrap, attempt, traits)));
  const found = filter === undefined ? [...tried, unknownArch()] : tried;
  const users = found[0];
  if (users === undefined || users.present) return found;
  return [users, ...found.slice(1).map(({ name }) => resting(name, "user namespaces"))];
}

/** The same answers when there is nothing to try with. */
export function isolationWithout(base: string): Primitive[] {
  return NEEDED.slice(1).map((name) => resting(name, base));
}

async function tryOut(bwrap: string, attempt: Attempt, traits: HostTraits): Promise<Primitive> {
  const { name, flags, script, detail, input } = attempt;
  const base = ["--ro-bind", "/", "/", "--unshare-user", "--die-with-parent"];
  const ran = await runBounded(
    [bwrap, ...base, ...flags, "--", "/bin/sh", "-c", `${script}; :`],
    input === undefined ? {} : { input },
  );
  if (ran.status === 0 && ran.stdout.trim() === "yes") {
    return { name, level: "needed", present: true, detail };
  }
  const failure = ran.status === 0 ? "made, but without effect" : ran.failure;
  const fix = fixForNamespace(name, traits);
  return {
    name,
    level: "needed",
    present: false,
    detail: failure,
    ...(fix !== undefined && { fix }),
  };
}

function filterAttempt(arch: string): Attempt | undefined {
  if (arch !== "x64" && arch !== "arm64") return undefined;
  const input = assemble([
    { load: SECCOMP_ABI.arch },
    { equals: AUDIT_ARCH[arch], goto: "native" },
    { ret: ACTION.kill },
    { label: "native" },
    { load: SECCOMP_ABI.number },
    { equals: CHDIR[arch], goto: "refuse" },
    { ret: ACTION.allow },
    { label: "refuse" },
    { ret: ACTION.EPERM },
  ]);
  return {
    name: "system call filters",
    flags: ["--seccomp", "3"],
    script: "cd / 2>/dev/null || echo yes",
    detail: "a filter refused a call",
    input,
  };
}

function unknownArch(): Primitive {
  const detail = `writ has none for ${process.arch}`;
  return { name: "system call filters", level: "needed", present: false, detail };
}

function resting(name: string, base: string): Primitive {
  return { name, level: "needed", present: false, detail: `not tried without ${base}` };
}
