/** What mounts alone do not stop: namespaces, kernel settings, sockets, keyrings, other numbers, terminals. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Place } from "../../os/support/sandbox-user.ts";
import { writeProgram } from "../../os/support/write-program.ts";
import { attempt, CONTROL, cell, judge, notRun, type Trick } from "./attempt.ts";
import { prefixOf, type Sandbox } from "./sandboxes.ts";

const number = (x64: number, arm64: number) => (process.arch === "arm64" ? arm64 : x64);
const below = ({ workspace }: Place, name: string) => path.join(workspace, name);

/** Runs a perl program in the sandbox, which needs no more than to be read there. */
function perl(place: Place, code: string): string {
  writeFileSync(below(place, "trick.pl"), code);
  return `perl trick.pl 2>&1; ${CONTROL}`;
}

/** A leaf becomes the root and all other mounts go; what was opened before is then bare. */
const PIVOT = `
  my ($leaf, $dot) = ("sub", ".");
  opendir(my $workspace, ".") or die;
  syscall(${number(272, 97)}, 0x10020000) == 0 or die "unshare: $!\\n";
  syscall(${number(165, 40)}, $leaf, $leaf, 0, 4096, 0) == 0 or die "bind: $!\\n";
  chdir $leaf;
  syscall(${number(155, 41)}, $dot, $dot) == 0 or die "pivot_root: $!\\n";
  syscall(${number(166, 39)}, $dot, 2) == 0 or die "umount: $!\\n";
  chdir $workspace or die "back: $!\\n";
  rename ".git", "gone" or die "rename: $!\\n";
  mkdir ".git"; mkdir ".git/hooks";
  open(my $hook, ">", ".git/hooks/pre-commit") or die "hook: $!\\n";
`;

const pivot: Trick = {
  name: "new user namespace, `pivot_root`, lazy umount, then a new `.git` with a hook",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    for (const folder of [".git/hooks", "sub"])
      mkdirSync(below(place, folder), { recursive: true });
    const ran = await attempt(sandbox, place, { script: perl(place, PIVOT) });
    return judge(ran, existsSync(below(place, ".git/hooks/pre-commit")));
  },
};

const isRoot = (place: Place) => process.getuid?.() === 0 && prefixOf(place).length === 0;
const SETTING = "/proc/sys/kernel/printk_ratelimit";

/** What is written is what was read, so that nothing changes where it works. */
const sysctl: Trick = {
  name: "as root, write a kernel setting below `/proc/sys` (the value it has)",
  writ: "holds",
  byHand: "gives way",
  unless: (place) => (isRoot(place) ? undefined : "the kernel refuses ordinary users"),
  async tryOn(sandbox, place) {
    const value = readFileSync(SETTING, "utf8").trim();
    const script = `(echo ${value} > ${SETTING}) 2>/dev/null && echo wrote; ${CONTROL}`;
    const ran = await attempt(sandbox, place, { script });
    return judge(ran, /^wrote$/m.test(ran.stdout));
  },
};

const ADDRESS = "use Socket; my $to = pack_sockaddr_un($ARGV[0]);";
const LISTENER = `${ADDRESS} socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, $to) or die; chmod 0777, $ARGV[0];
  $| = 1; print "ready\\n"; while (1) { recv($s, my $text, 99, 0); print "$text\\n"; exit if $text eq "end" }`;
const SENDER = `${ADDRESS} my $text = $ARGV[1];
  my $vector = pack("PQ", $text, length $text);
  my $header = pack("PLx4PQQQl", $to, length $to, $vector, 1, 0, 0, 0) . pack("x4");
  my ($s, $one, $two);
  for (1) {
    socket($s, AF_UNIX, SOCK_DGRAM, 0) and syscall(${number(46, 211)}, fileno $s, $header, 0);
    socketpair($one, $two, AF_UNIX, SOCK_DGRAM, 0) and syscall(${number(46, 211)}, fileno $one, $header, 0);
  }`;

const sendmsg: Trick = {
  name: "`sendmsg` to a datagram socket of the host, network off",
  writ: "holds",
  byHand: "gives way",
  async tryOn(sandbox, place) {
    const address = path.join(place.outside, "socket");
    const listener = spawn("perl", ["-e", LISTENER, address], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let heard = "";
    listener.stdout.on("data", (chunk) => {
      heard += chunk;
    });
    await once(listener.stdout, "data");
    writeFileSync(below(place, "send.pl"), SENDER);
    const ran = await attempt(sandbox, place, {
      script: `perl send.pl '${address}' inside; ${CONTROL}`,
    });
    const over = once(listener, "close");
    spawnSync("perl", ["-e", SENDER, address, "end"]);
    await over;
    if (!heard.includes("end")) return cell("not run", "the listener heard not even the host");
    return judge(ran, heard.includes("inside"));
  },
};

/** A keyring of its own with one key, for whatever is started next. */
const KEEP_KEY = `my ($type, $name, $text) = ("user", "canary", "key-text");
  syscall(${number(250, 219)}, 1, 0) >= 0 or die "join: $!";
  syscall(${number(248, 217)}, $type, $name, $text, length $text, -3) >= 0 or die "add: $!";
  exec @ARGV;`;
const READ_KEY = `my ($type, $name, $text) = ("user", "canary", "x" x 64);
  my $id = syscall(${number(250, 219)}, 10, -3, $type, $name, 0);
  $id >= 0 or die "search: $!\\n";
  my $size = syscall(${number(250, 219)}, 11, $id, $text, 64);
  print substr($text, 0, $size), "\\n" if $size > 0;`;

const keyring: Trick = {
  name: "read a key from the session keyring of whoever started it",
  writ: "holds",
  byHand: "gives way",
  unless(place) {
    const [program = "", ...args] = [
      ...prefixOf(place),
      "perl",
      "-e",
      KEEP_KEY,
      "perl",
      "-e",
      READ_KEY,
    ];
    const { stdout } = spawnSync(program, args, { encoding: "utf8" });
    return stdout === "key-text\n" ? undefined : "this host refuses everybody";
  },
  async tryOn(sandbox, place) {
    const prefix = prefixOf(place);
    const ran = await attempt(sandbox, place, {
      script: perl(place, READ_KEY),
      wrap: (argv) => [...prefix, "perl", "-e", KEEP_KEY, ...argv.slice(prefix.length)],
    });
    return judge(ran, ran.stdout.includes("key-text"));
  },
};

const [EPERM, EFAULT, ENOSYS] = [1, 14, 38];
const IO_URING_SETUP = 425;
const X32 = 0x4000_0000;
/** io_uring_setup(8, 0) by `int 0x80`; the error is the exit status, of a call that got through EFAULT. */
const BY_INT_80 = Buffer.from("b8a9010000bb0800000031c9cd8089c7f7dfb83c0000000f05", "hex");
const byNumber = (nr: number) => `perl -e 'syscall(${nr}, 8, 0); printf "%s\\n", $! + 0'`;

/** The errors of a call that every filter refuses: by its own number, and in another way. */
async function errors(sandbox: Sandbox, place: Place, other: string) {
  const script = `echo own $(${byNumber(IO_URING_SETUP)}); echo other $(${other}); ${CONTROL}`;
  const ran = await attempt(sandbox, place, { script });
  const said = (word: string) => Number(new RegExp(`^${word} (\\d+)$`, "m").exec(ran.stdout)?.[1]);
  if (!ran.stdout.includes("control")) return notRun(ran);
  if (said("own") !== EPERM) return judge(ran, true, { way: "the call is not refused at all" });
  return judge(ran, said("other") === EFAULT);
}

/** Nothing to try where the kernel itself knows no such numbers. */
function unknownNumbers(command: string): string | undefined {
  if (process.arch !== "x64") return "another processor";
  const { stdout } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  if (Number(stdout) === ENOSYS) return "this kernel has no such numbers";
  return Number(stdout) === EFAULT ? undefined : "this host refuses everybody";
}

const int80: Trick = {
  name: "a refused call (`io_uring_setup`) by its 32-bit number",
  writ: "holds",
  byHand: "gives way",
  unless: (place) => unknownNumbers(`${writeProgram(place.workspace, BY_INT_80)}; echo $?`),
  async tryOn(sandbox, place) {
    writeProgram(place.workspace, BY_INT_80);
    return errors(sandbox, place, "./program; echo $?");
  },
};

const x32: Trick = {
  name: "a refused call (`io_uring_setup`) by its x32 number",
  writ: "holds",
  byHand: "gives way",
  unless: () => unknownNumbers(byNumber(X32 + IO_URING_SETUP)),
  tryOn: (sandbox, place) => errors(sandbox, place, byNumber(X32 + IO_URING_SETUP)),
};

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const TYPE = `ioctl(STDIN, 0x5412, my $letter = "!"); print "terminal\\n" if -t STDIN;`;
/** What waits in the terminal once the command is gone. */
const TYPED = `stty -icanon min 0 time 1; perl -e 'sysread STDIN, my $text, 99; print "typed\n" if $text =~ /!/'`;
const onTerminal = (argv: readonly string[]) => [
  ...["script", "-qec", `${argv.map(quoted).join(" ")} </dev/tty; ${TYPED}`, "/dev/null"],
];

const typing: Trick = {
  name: "type into the terminal of whoever started it (TIOCSTI)",
  writ: "holds",
  byHand: "gives way",
  unless(place) {
    const [program = "", ...args] = onTerminal([...prefixOf(place), "perl", "-e", TYPE]);
    const { stdout } = spawnSync(program, args, {
      encoding: "utf8",
      env: { ...process.env, SHELL: "/bin/sh" },
    });
    return /typed/.test(stdout) ? undefined : "this host refuses everybody";
  },
  async tryOn(sandbox, place) {
    const script = perl(place, TYPE);
    const ran = await attempt(sandbox, place, {
      script,
      wrap: onTerminal,
      env: { SHELL: "/bin/sh" },
    });
    return judge(ran, /typed/.test(ran.stdout));
  },
};

export const KERNEL_TRICKS: readonly Trick[] = [
  ...[pivot, sysctl, sendmsg, keyring, int80, x32, typing],
];
