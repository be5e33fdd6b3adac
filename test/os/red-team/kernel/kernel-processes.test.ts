/** E2, E3, E4, E7, E13 and what programs need besides: processes, threads, terminals. */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EPERM, pairsIn } from "../../support/kernel-attempts.ts";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { flagsOf, MODES, type Mode } from "../../support/sandbox-modes.ts";
import { type Place, placeFor, type SandboxUser, USERS } from "../../support/sandbox-user.ts";

/** Signals everything that can be named, by number and by group. */
const SIGNALS = (pid: number) => `
  echo control yes
  (kill -0 ${pid}) 2>/dev/null && echo signalled yes
  (cat /proc/${pid}/status) > /dev/null 2>&1 && echo seen yes
  for file in mem maps environ fd cwd/. root/.; do
    ls -d /proc/1/$file > /dev/null 2>&1 && echo first-$file yes
  done
  (exec 3< /proc/self/mem) && echo own yes
  echo processes $(ls /proc | grep -c '^[0-9]')
  (trap '' TERM; kill -TERM -1; kill -KILL -1)
`;

const TERMINAL = `
  my %controls = (size => 0x5413, type => 0x5412, paste => 0x541c, driver => 0x5423);
  for my $name (sort keys %controls) {
    my $argument = $name eq "type" ? "!" : pack("x64");
    print "$name ", (ioctl(STDIN, $controls{$name}, $argument) ? 0 : $! + 0), "\\n";
  }
  open my $status, "/proc/self/status";
  while (<$status>) { print "filter $1\\n" if /^Seccomp:\\s+(\\d)/ }
`;

/** What is waiting in the terminal when the command is gone. */
const TYPED = `stty -icanon min 0 time 1
  perl -e 'sysread STDIN, my $text, 99; print "typed 1\n" if $text =~ /!/'`;

/** Threads, children, interfaces, a name and the loopback, for Node. */
const NODE = `
  const { Worker } = require("node:worker_threads");
  const { execFileSync } = require("node:child_process");
  const net = require("node:net");
  const told = { interfaces: Object.keys(require("node:os").networkInterfaces()).includes("lo") };
  told.child = String(execFileSync("/bin/echo", ["child"])).trim();
  new Worker("require('node:worker_threads').parentPort.postMessage('thread')", { eval: true })
    .on("message", (word) => {
      told.thread = word;
      const server = net.createServer((socket) => socket.end("pong")).listen(0, "127.0.0.1", () =>
        net.connect(server.address().port, "127.0.0.1").on("data", (text) => {
          told.loopback = String(text);
          server.close();
          console.log(JSON.stringify(told));
        }));
    });
`;

const SPACES = ["user", "mnt", "pid", "ipc", "uts", "cgroup", "net"];

/** All that is tried in a mode but what ends the command. */
const tried = onceFor((place, mode: Mode) => {
  const flags = flagsOf(mode, place);
  const canary = path.join(place.outside, "canary");
  writeFileSync(canary, "untouched");
  layOutPrograms(place);
  const node = path.join(place.installed, "node_modules/.bin/node");
  const answers = inOneRun((command) => place.run(["run", ...flags, "--", ...command]), {
    programs: `
      for command in './copy' '${loader()} ./copy' './script'; do
        $command -c 'echo ran; echo overwritten > ${canary}' 2> /dev/null
      done
    `,
    node: isForNode(mode) ? [node, "-e", NODE] : ["true"],
    spaces: SPACES.map((kind) => `echo ${kind} $(readlink /proc/self/ns/${kind})`).join("\n"),
    privileges: "grep NoNewPrivs /proc/self/status",
  });
  return { place, canary, ...answers };
});

const NODE_MODES = ["workspace-write", "network-on"] as const;
const isForNode = (mode: Mode) => NODE_MODES.some((one) => one === mode);

describe.each(USERS)("for %s", (user) => {
  it.each(MODES)("E3 E2 sees, signals and opens no process of the host in %s", (mode) => {
    const place = placeFor(user);
    const sleeper = sleep(user);
    const { stdout } = place.sh(SIGNALS(sleeper.pid ?? 0), flagsOf(mode, place));
    expect(pairsIn(stdout, String)).toEqual({
      control: "yes",
      own: "yes",
      processes: expect.stringMatching(/^[1-7]$/),
    });
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();
    expect(existsSync(`/proc/${sleeper.pid}`)).toBe(true);
  });

  it("E4 gives no privilege to a program that has its owner's", () => {
    const place = placeFor(user);
    for (const program of privileged()) {
      const outside = spawnSync(...as(user, [program, "-u"]), { encoding: "utf8" });
      expect(outside.stdout).toBe("1\n");
      for (const mode of ["workspace-write", "network-on"] as const) {
        const { stdout } = place.sh(`${program} -u; id -u`, flagsOf(mode, place));
        const [gained, own] = stdout.split("\n");
        expect(gained).toBe(own);
      }
    }
    expect(tried(user, "workspace-write").privileges.stdout).toBe("NoNewPrivs:\t1\n");
  });

  it("E7 types nothing into a terminal that is handed on, or into its own", () => {
    const place = placeFor(user);
    writeFileSync(path.join(place.workspace, "terminal.pl"), TERMINAL);
    for (const flags of [[], ["--tty"]]) {
      const run = ["run", "--sandbox", "workspace-write", ...flags, "--"];
      const command = place.argv([...run, "/usr/bin/perl", "terminal.pl"]).join(" ");
      const { stdout } = spawnSync("script", ["-qec", `${command}; ${TYPED}`, "/dev/null"], {
        cwd: place.workspace,
        env: { ...place.env, SHELL: "/bin/sh" },
        encoding: "utf8",
        stdio: ["pipe", "pipe", "pipe"],
      });
      const told = pairsIn(stdout.replaceAll(/\r|\^[@D]/g, ""), Number);
      const refused = { driver: EPERM, paste: EPERM, type: EPERM };
      expect(told, flags.join()).toEqual({ ...refused, size: 0, filter: 2 });
    }
  });

  it.each(MODES)("E13 confines a copy, a loader's argument and a script in %s alike", (mode) => {
    const { place, canary, programs } = tried(user, mode);
    expect(programs.stdout).toBe("ran\nran\nran\n");
    expect(readFileSync(canary, "utf8")).toBe("untouched");
    expect(readdirSync(place.outside).filter((name) => !name.endsWith(".toml"))).toEqual([
      "canary",
    ]);
  });

  it.each(NODE_MODES)("lets Node work as ever in %s", (mode) => {
    const { stdout } = tried(user, mode).node;
    const worked = { child: "child", thread: "thread", loopback: "pong", interfaces: true };
    expect(JSON.parse(stdout)).toEqual(worked);
  });

  it.each(MODES)("gives the command namespaces of its own in %s", (mode) => {
    const inside = pairsIn(tried(user, mode).spaces.stdout, String);
    const common = SPACES.filter((kind) => inside[kind] === readlinkSync(`/proc/self/ns/${kind}`));
    expect(Object.values(inside).filter(Boolean)).toHaveLength(SPACES.length);
    expect(common).toEqual(mode === "network-on" ? ["net"] : []);
  });
});

function as(user: SandboxUser, [program = "", ...args]: string[]): [string, string[]] {
  if (user === "root" || process.getuid?.() !== 0) return [program, args];
  return ["setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", program, ...args]];
}

/** A process of the same user, which the command would be allowed to signal outside. */
function sleep(user: SandboxUser) {
  const [program, args] = as(user, ["sleep", "60"]);
  const child = spawn(program, args, { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Only root can make one that belongs to somebody else. */
function privileged(): string[] {
  if (process.getuid?.() !== 0) return [];
  const folder = mkdtempSync("/var/tmp/writ-setuid-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const program = path.join(folder, "id");
  copyFileSync("/usr/bin/id", program);
  chownSync(program, 1, 1);
  chmodSync(program, 0o6755);
  return [program];
}

function layOutPrograms({ workspace }: Place): void {
  copyFileSync("/bin/sh", path.join(workspace, "copy"));
  writeFileSync(path.join(workspace, "script"), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 });
}

/** The program that starts all dynamic programs. */
function loader(): string {
  const folders = ["/lib64", "/lib"].filter((folder) => existsSync(folder));
  const found = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith("ld-linux-"))
      .map((name) => path.join(folder, name)),
  );
  const [first] = found;
  if (first === undefined) throw new Error("There is no loader for dynamic programs");
  return first;
}
