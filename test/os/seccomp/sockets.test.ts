/** Sockets that would reach the host, judged by a listener on the host. */
import { spawn } from "node:child_process";
import { chmodSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { rawCalls } from "./raw-calls.ts";
import {
  callers,
  type FilteredRun,
  hostFilter,
  MARKS,
  runFiltered,
  withMarks,
} from "./run-filtered.ts";

const number = (x64: number, arm64: number) => (process.arch === "x64" ? x64 : arm64);
const SOCKET = number(41, 198);
const SOCKETPAIR = number(53, 199);

/** Prints every datagram it hears; `@` stands for the zero byte of an abstract name. */
const LISTENER = `
  use Socket;
  $| = 1;
  my $name = shift; $name =~ s/^@/\\0/;
  socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
  bind($socket, sockaddr_un($name)) or die "bind: $!";
  chmod 0777, $name;
  print "ready\\n";
  while (defined recv($socket, my $text, 99, 0)) { print "$text\\n" }
`;

/** Sends its word by every way that makes an AF_UNIX socket. */
const SENDER = `
  use Socket;
  my ($name, $word) = @ARGV; $name =~ s/^@/\\0/;
  my $to = sockaddr_un($name);
  my ($plain, $one, $two);
  socket($plain, AF_UNIX, SOCK_DGRAM, 0) and send($plain, "$word by socket", 0, $to);
  for my $type (SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET) {
    socketpair($one, $two, AF_UNIX, $type, 0) or next;
    send($one, "$word by pair $type", 0, $to);
    connect($one, $to) and send($one, "$word by connected pair $type", 0);
  }
  print "sent\\n";
`;
const HEARD = [
  "control by socket",
  ...["control by pair 2", "control by connected pair 2"],
  ...["control by pair 3", "control by connected pair 3"],
];

describe.each(callers)("AF_UNIX sockets of the host, for %s", (caller) => {
  const send = (name: string, word: string, run: Partial<FilteredRun>) => {
    const command = ["perl", "-e", SENDER, name, word];
    expect(runFiltered({ ...run, caller, command })).toMatchObject({ status: 0, stdout: "sent\n" });
  };

  it("hear nothing, not even from a pair", async () => {
    const listener = await listen(path.join(openFolder(), "socket"));
    const filter = hostFilter({ network: "off", unixSockets: "none" });
    send(listener.name, "filtered", { filter });
    send(listener.name, "control", {});
    expect(await listener.hear(HEARD.length)).toEqual(HEARD);
  });

  it("hear nothing by abstract names where the network is the host's", async () => {
    const listener = await listen(`@writ-test-${process.pid}-${caller}`);
    const bubblewrap = ["--share-net"];
    for (const unixSockets of ["none", "private"] as const) {
      const filter = hostFilter({ network: "on", unixSockets });
      send(listener.name, unixSockets, { filter, bubblewrap });
    }
    const filter = hostFilter({ network: "on", unixSockets: "host" });
    send(listener.name, "control", { filter, bubblewrap });
    expect(await listener.hear(HEARD.length)).toEqual(HEARD);
  });

  it("have no abstract names in a network of the sandbox's own", async () => {
    const listener = await listen(`@writ-test-${process.pid}-${caller}-private`);
    const filter = hostFilter({ network: "off", unixSockets: "private" });
    send(listener.name, "private", { filter });
    send(listener.name, "control", { filter, bubblewrap: ["--share-net"] });
    expect(await listener.hear(HEARD.length)).toEqual(HEARD);
  });
});

describe.each(callers)("sockets, for %s", (caller) => {
  const families = { inet: 2, inet6: 10, netlink: 16, unix: 1 };
  const others = { alg: 38, bluetooth: 31, can: 29, packet: 17, tipc: 30, vsock: 40, xdp: 44 };

  it("of other families are refused by the filter", () => {
    const filter = withMarks(hostFilter({ network: "on", unixSockets: "host" }));
    const calls = Object.entries(others).flatMap(([name, family]) => [
      { name, nr: SOCKET, args: [family, 3, 0] },
      { name: `${name}-pair`, nr: SOCKETPAIR, args: [family, 1, 0, 0] },
    ]);
    const refused = Object.fromEntries(calls.map(({ name }) => [name, MARKS.EPERM]));
    expect(rawCalls(calls, { caller, filter })).toEqual(refused);
  });

  it("of the internet are streams and datagrams of common protocols, not packets", () => {
    const filter = withMarks(hostFilter({ network: "off", unixSockets: "none" }));
    const { inet, inet6 } = families;
    const calls = [
      { name: "tcp", nr: SOCKET, args: [inet, 0o2000001, 0] },
      { name: "udp6", nr: SOCKET, args: [inet6, 2, 0] },
      { name: "raw", nr: SOCKET, args: [inet, 3, 1] },
      { name: "raw6", nr: SOCKET, args: [inet6, 3, 58] },
      { name: "packet", nr: SOCKET, args: [inet, 10, 0x300] },
      { name: "sctp", nr: SOCKET, args: [inet, 1, 132] },
      { name: "l2tp6", nr: SOCKET, args: [inet6, 2, 115] },
    ];
    const refused = ["raw", "raw6", "packet", "sctp", "l2tp6"].map((one) => [one, MARKS.EPERM]);
    const expected = { tcp: 0, udp6: 0, ...Object.fromEntries(refused) };
    expect(rawCalls(calls, { caller, filter })).toEqual(expected);
  });

  it("of netlink ask for routes alone", () => {
    const filter = withMarks(hostFilter({ network: "off", unixSockets: "none" }));
    const { netlink } = families;
    const calls = [
      { name: "route", nr: SOCKET, args: [netlink, 3, 0] },
      { name: "audit", nr: SOCKET, args: [netlink, 3, 9] },
      { name: "netfilter", nr: SOCKET, args: [netlink, 3, 12] },
      { name: "uevent", nr: SOCKET, args: [netlink, 3, 15] },
    ];
    expect(rawCalls(calls, { caller, filter })).toEqual({
      route: 0,
      audit: MARKS.EPERM,
      netfilter: MARKS.EPERM,
      uevent: MARKS.EPERM,
    });
  });

  it("of AF_UNIX can be had in private", () => {
    const filter = hostFilter({ network: "proxied", unixSockets: "private" });
    const calls = [1, 2, 5].map((type) => ({
      name: `type${type}`,
      nr: SOCKET,
      args: [families.unix, type, 0],
    }));
    expect(rawCalls(calls, { caller, filter })).toEqual({ type1: 0, type2: 0, type5: 0 });
  });
});

/** A folder that every user may enter. */
function openFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

async function listen(name: string) {
  const child = spawn("perl", ["-e", LISTENER, name], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe("ready");
  /** The first lines it heard; what was sent earlier comes first. */
  const hear = async (count: number) => {
    const heard: string[] = [];
    while (heard.length < count) heard.push(await next());
    return heard;
  };
  return { name, hear };
}
