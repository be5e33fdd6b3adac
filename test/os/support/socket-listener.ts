/**
 * A listener of the host on many unix sockets, and a sender that tries them all.
 *
 * Every name stands for a stream socket and, with ".d" behind it, for one of
 * datagrams; a leading "@" for an abstract name.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { number } from "./kernel-attempts.ts";

/** Labels and names. */
export type SocketNames = Readonly<Record<string, string>>;

export interface Listener {
  /** What was heard but for the word of the host itself, which is sent now. */
  heard(): Promise<string[]>;
}

const ADDRESS = `
  use Socket;
  sub address { my ($name) = @_; $name =~ s/^@/\\0/; pack_sockaddr_un($name) }
`;

const LISTENER = `${ADDRESS}
  $| = 1;
  my (%labels, %sockets);
  for (@ARGV) {
    my ($label, $name) = split /=/, $_, 2;
    for ([SOCK_STREAM, $name], [SOCK_DGRAM, "$name.d"]) {
      my ($type, $at) = @$_;
      socket(my $socket, AF_UNIX, $type, 0) or die "socket: $!";
      bind($socket, address($at)) or die "bind $at: $!";
      chmod 0777, $at;
      listen($socket, 50) if $type == SOCK_STREAM;
      $labels{fileno $socket} = [$label, $type];
      $sockets{fileno $socket} = $socket;
    }
  }
  print "ready\\n";
  while (1) {
    my $waiting = "";
    vec($waiting, $_, 1) = 1 for keys %sockets;
    select($waiting, undef, undef, undef);
    for my $fd (grep { vec($waiting, $_, 1) } keys %sockets) {
      my ($label, $type) = @{$labels{$fd}};
      my $text = "";
      if ($type == SOCK_STREAM) {
        accept(my $peer, $sockets{$fd}) or next;
        sysread $peer, $text, 99;
      } else { recv($sockets{$fd}, $text, 99, 0) }
      print "$label $text\\n";
    }
  }
`;

/** Its word by a stream, by a datagram, by sendmsg(2) with an address and from a pair. */
export const SENDER = `${ADDRESS}
  $SIG{PIPE} = "IGNORE";
  my ($word, @names) = @ARGV;
  sub message {
    my ($socket, $to, $text) = @_;
    my $vector = pack("PQ", $text, length $text);
    my $header = pack("PLx4PQQQl", $to, length $to, $vector, 1, 0, 0, 0) . pack("x4");
    syscall(${number(46, 211)}, fileno $socket, $header, 0);
  }
  for (@names) {
    my ($label, $name) = split /=/, $_, 2;
    my ($stream, $datagram, $one, $two);
    if (socket($stream, AF_UNIX, SOCK_STREAM, 0)) {
      print "$label ", (connect($stream, address($name)) ? "connected" : $!), "\\n";
      syswrite $stream, "$word stream";
    } else { print "$label no socket: $!\\n" }
    if (socket($datagram, AF_UNIX, SOCK_DGRAM, 0)) {
      send($datagram, "$word datagram", 0, address("$name.d"));
      message($datagram, address("$name.d"), "$word message");
    }
    for my $type (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) {
      socketpair($one, $two, AF_UNIX, $type, 0) or next;
      message($one, address("$name.d"), "$word pair");
      connect($one, address($name)) and syswrite $one, "$word pair";
    }
  }
  print "sent\\n";
`;

/** What each socket hears from a sender that reaches it. */
export const ALL_WAYS = ["datagram", "message", "pair", "stream"];

export async function listenAt(
  names: SocketNames,
  prefix: readonly string[] = [],
): Promise<Listener> {
  const [program = "perl", ...args] = [...prefix, "perl", "-e", LISTENER, ...wordsOf(names)];
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("The listener has no output");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  if ((await next()) !== "ready") throw new Error("Cannot listen for the test");
  const heard = async () => {
    const control = [...prefix, "perl", "-e", SENDER, "control", ...wordsOf(names)];
    spawnSync(control[0] ?? "", control.slice(1));
    const waiting = new Set(
      Object.keys(names).flatMap((label) =>
        ["stream", "datagram", "message"].map((way) => `${label} control ${way}`),
      ),
    );
    const others = new Set<string>();
    while (waiting.size > 0) {
      const line = await next();
      waiting.delete(line);
      if (!/ control /.test(line)) others.add(line);
    }
    return [...others].sort();
  };
  return { heard };
}

/** The names as arguments of both programs. */
export function wordsOf(names: SocketNames): string[] {
  return Object.entries(names).map(([label, name]) => `${label}=${name}`);
}
