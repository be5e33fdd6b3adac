/**
 * G1, F5: a socket on a standard descriptor is in the host's network, whatever the policy says.
 *
 * It could be connected anew, or send to any address, if the command had it.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { placeFor, USERS } from "../../support/sandbox-user.ts";

/** Starts the command with a socket of the kind on its first three descriptors, and listens for it. */
const STARTER = `
  use Socket;
  my ($kind, $name, @command) = @ARGV;
  my ($family, $type) = @{{
    tcp => [AF_INET, SOCK_STREAM],
    udp => [AF_INET, SOCK_DGRAM],
    unix => [AF_UNIX, SOCK_DGRAM],
    pair => [AF_UNIX, SOCK_STREAM],
  }->{$kind}};
  my $at = sub {
    return pack_sockaddr_in(0, INADDR_LOOPBACK) if $family == AF_INET;
    pack_sockaddr_un($name . shift);
  };
  my @ends;
  for my $place ("friend", "other") {
    socket(my $end, $family, $type, 0) or die "socket: $!";
    bind($end, $at->($place)) or die "bind: $!";
    chmod 0777, $name . $place;
    listen($end, 5) if $type == SOCK_STREAM;
    push @ends, $end;
  }
  my ($friend, $other) = @ends;
  my ($given, $peer);
  if ($kind eq "pair") { socketpair($given, $peer, AF_UNIX, SOCK_STREAM, 0) or die "pair: $!" }
  else {
    socket($given, $family, $type, 0) or die "socket: $!";
    connect($given, getsockname $friend) or die "connect: $!";
    $peer = $friend;
    accept($peer, $friend) or die "accept: $!" if $type == SOCK_STREAM;
  }
  my $address = $family == AF_INET ? (unpack_sockaddr_in(getsockname $other))[0] : "\${name}other";
  my $child = fork // die "fork: $!";
  if ($child == 0) {
    open STDIN, "<&", $given or die "stdin: $!";
    open STDOUT, ">&", $given or die "stdout: $!" if $type == SOCK_STREAM;
    exec @command, $family == AF_INET ? "inet" : "unix", $address, $type == SOCK_STREAM || 0;
  }
  close $given;
  syswrite $peer, "line\\n" if $type == SOCK_STREAM;
  shutdown $peer, 1 if $type == SOCK_STREAM;
  waitpid $child, 0;
  my $waiting = "";
  vec($waiting, fileno $other, 1) = 1;
  print select($waiting, undef, undef, 0.2) > 0 ? "other heard\\n" : "other silent\\n";
  if ($type == SOCK_STREAM) { local $/; print <$peer> }
`;

/** Turns what it finds on its first descriptor to the address it is given. */
const TURN = `
  use Socket;
  my ($family, $address, $stream) = @ARGV;
  my $line = $stream ? <STDIN> : "";
  my $to = $family eq "inet"
    ? pack_sockaddr_in($address, INADDR_LOOPBACK)
    : pack_sockaddr_un($address);
  for my $fd (0, 1) {
    open(my $socket, "+<&=", $fd) or next;
    send($socket, "turned", 0, $to);
    connect($socket, pack("Sx14", 0));
    connect($socket, $to) and send($socket, "turned", 0);
  }
  syswrite STDOUT, "got $line";
`;

describe.each(USERS)("for %s", (user) => {
  it.each(["tcp", "udp", "unix", "pair"])(
    "G1 F5 turns no inherited socket elsewhere: %s",
    (kind) => {
      const place = placeFor(user);
      const command = place.argv(["run", "--sandbox", "workspace-write", "--"]);
      const inside = [...command, "/usr/bin/perl", "-e", TURN];
      const name = path.join(place.outside, "socket-");
      const { stdout } = spawnSync("perl", ["-e", STARTER, kind, name, ...inside], {
        cwd: place.workspace,
        env: place.env,
        encoding: "utf8",
        timeout: 60_000,
      });
      // What the other side of a stream says arrives, and what the command answers does too.
      const stream = kind === "tcp" || kind === "pair";
      expect(stdout).toBe(stream ? "other silent\ngot line\n" : "got other silent\n");
    },
  );

  it.each(["tcp", "udp", "unix"])("the same turns it elsewhere without a sandbox: %s", (kind) => {
    const place = placeFor(user);
    const name = path.join(place.outside, "socket-");
    const outside = ["perl", "-e", STARTER, kind, name, "/usr/bin/perl", "-e", TURN];
    const { stdout } = spawnSync(outside[0] ?? "", outside.slice(1), {
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stdout).toContain("other heard\n");
  });
});
