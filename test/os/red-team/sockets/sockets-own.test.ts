/** F7, F9, F10: sockets and memory of the sandbox's own, and kinds of them that reach past it. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  type Calls,
  callsCommand,
  EPERM,
  errnosIn,
  number,
  pairsIn,
} from "../../support/kernel-attempts.ts";
import { inOneRun, onceFor } from "../../support/one-run.ts";
import { placeApart } from "../../support/place-apart.ts";
import { flagsOf, MODES, type Mode, profileFlags } from "../../support/sandbox-modes.ts";
import { USERS } from "../../support/sandbox-user.ts";

/** A server and a client in one sandbox, by a path and by an abstract name, and a pair. */
const TALK = `
  use Socket;
  for (["path", "talk.sock"], ["abstract", "\\0talk"]) {
    my ($label, $name) = @$_;
    my $to = pack_sockaddr_un($name);
    socket(my $server, AF_UNIX, SOCK_STREAM, 0) or do { print "$label $!\\n"; next };
    bind($server, $to) && listen($server, 1) or do { print "$label $!\\n"; next };
    socket(my $client, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
    connect($client, $to) or die "connect: $!";
    accept(my $peer, $server) or die "accept: $!";
    syswrite $client, "heard";
    sysread $peer, my $text, 9;
    print "$label $text\\n";
  }
  socketpair(my $one, my $two, AF_UNIX, SOCK_STREAM, 0) or die "pair: $!";
  syswrite $one, "heard";
  sysread $two, my $text, 9;
  print "pair $text\\n";
`;

const REFUSED = { path: "Operation not permitted", abstract: "Operation not permitted" };
const HEARD = { path: "heard", abstract: "heard" };

const SOCKET = number(41, 198);
/** Family, type, protocol. */
const FAMILIES: Calls = {
  vsock: [SOCKET, 40, 1, 0],
  packet: [SOCKET, 17, 3, 0],
  alg: [SOCKET, 38, 5, 0],
  bluetooth: [SOCKET, 31, 3, 1],
  can: [SOCKET, 29, 3, 1],
  xdp: [SOCKET, 44, 3, 0],
  key: [SOCKET, 15, 3, 2],
  rds: [SOCKET, 21, 5, 0],
  tipc: [SOCKET, 30, 4, 0],
  smc: [SOCKET, 43, 1, 0],
  qipcrtr: [SOCKET, 42, 2, 0],
  rawIcmp: [SOCKET, 2, 3, 1],
  rawIcmp6: [SOCKET, 10, 3, 58],
  packetByType: [SOCKET, 2, 10, 0x300],
  sctp: [SOCKET, 2, 5, 132],
  audit: [SOCKET, 16, 3, 9],
  diagnosis: [SOCKET, 16, 3, 4],
  firewall: [SOCKET, 16, 3, 12],
  uevents: [SOCKET, 16, 3, 15],
  generic: [SOCKET, 16, 3, 16],
  crypto: [SOCKET, 16, 3, 21],
};
const CONTROL: Calls = {
  tcp: [SOCKET, 2, 1, 0],
  udp6: [SOCKET, 10, 2, 0],
  routes: [SOCKET, 16, 3, 0],
};

/** System V memory, semaphores and messages, and a POSIX queue: `make` or `find`, with one key. */
const SHARED = `
  my ($how, $key, $queue) = @ARGV;
  my $flags = $how eq "make" ? 0666 | 01000 : 0;
  my $open = $how eq "make" ? 0102 : 02;
  my $memory = shmget($key, 64, $flags);
  print "memory ", (defined $memory ? "found" : $! + 0), "\\n";
  shmwrite($memory, "written", 0, 7) if defined $memory && $how eq "make";
  print "semaphore ", (defined semget($key, 1, $flags) ? "found" : $! + 0), "\\n";
  print "messages ", (defined msgget($key, $flags) ? "found" : $! + 0), "\\n";
  my $fd = syscall(${number(240, 180)}, "$queue\\0", $open, 0666, 0);
  print "queue ", ($fd == -1 ? $! + 0 : "found"), "\\n";
`;
const ENOENT = "2";
const NONE = { memory: ENOENT, semaphore: ENOENT, messages: ENOENT, queue: ENOENT };
const ALL = { memory: "found", semaphore: "found", messages: "found", queue: "found" };

function onHost(how: string, key: string, queue: string): Record<string, string> {
  const { stdout } = spawnSync("perl", ["-e", SHARED, how, key, queue], { encoding: "utf8" });
  return pairsIn(stdout, String);
}

/** All that is tried in a mode while the host has memory and queues with a key, which a user can have only a few of. */
const tried = onceFor((place, mode: Mode) => {
  const key = String(0x7772_0000 + Math.floor(Math.random() * 0xffff));
  const queue = `writ-${key}`;
  const other = String(Number(key) + 0x10_0000);
  const flags = flagsOf(mode, place);
  try {
    const host = [onHost("make", key, queue), onHost("find", key, queue)];
    const answers = inOneRun((command) => place.run(["run", ...flags, "--", ...command]), {
      families: callsCommand({ ...FAMILIES, ...CONTROL }),
      found: ["/usr/bin/perl", "-e", SHARED, "find", key, queue],
      made: ["/usr/bin/perl", "-e", SHARED, "make", other, queue],
      queues: "ls /dev/mqueue 2> /dev/null",
    });
    return { host, after: onHost("find", other, queue), ...answers };
  } finally {
    removeShared(key, queue);
  }
});

describe.each(USERS)("for %s", (user) => {
  it.each([
    { setting: "none", network: false, expected: REFUSED },
    { setting: "none", network: true, expected: REFUSED },
    { setting: "private", network: false, expected: HEARD },
    // In the host's network its own could not be told from the host's.
    { setting: "private", network: true, expected: REFUSED },
    { setting: "host", network: false, expected: HEARD },
    { setting: "host", network: true, expected: HEARD },
  ])(
    "F10 talks to itself with $setting sockets and network $network as stated",
    async ({ setting, network, expected }) => {
      const place = await placeApart(user);
      const toml = `extends = ":workspace"
[network]
enabled = ${network}
unix_socket_access = "${setting}"
`;
      const flags = profileFlags(place.outside, "own", toml);
      const { stdout, stderr } = place.run(["run", ...flags, "--", "/usr/bin/perl", "-e", TALK]);
      expect(pairsIn(stdout, String), stderr).toEqual({ ...expected, pair: "heard" });
    },
  );

  it.each(MODES)("F7 makes no socket of another family, raw or of the kernel in %s", (mode) => {
    const refused = Object.keys(FAMILIES).map((name) => [name, EPERM]);
    const all = { ...Object.fromEntries(refused), tcp: 0, udp6: 0, routes: 0 };
    expect(errnosIn(tried(user, mode).families.stdout)).toEqual(all);
  });

  it.each(MODES)("F9 shares neither memory nor queues with the host in %s", (mode) => {
    const { host, found, made, queues, after } = tried(user, mode);
    expect(host).toEqual([ALL, ALL]);
    expect(pairsIn(found.stdout, String)).toEqual(NONE);
    expect(pairsIn(made.stdout, String)).toEqual(ALL);
    expect(queues.stdout).toBe("");
    expect(after).toMatchObject({ ...NONE, queue: "found" });
  });
});

function removeShared(key: string, queue: string): void {
  const script = `
    my ($key, $queue) = @ARGV;
    shmctl(shmget($key, 64, 0), 0, 0);
    semctl(semget($key, 1, 0), 0, 0, 0);
    msgctl(msgget($key, 0), 0, 0);
    syscall(${number(241, 181)}, "$queue\\0");
  `;
  spawnSync("perl", ["-e", script, key, queue]);
}
