/** A daemon that gives a descriptor away with SCM_RIGHTS, and a command that takes and uses it. */
import { number } from "./kernel-attempts.ts";

/** `struct msghdr` around one byte and a control message; see cmsg(3). */
const HEADER = `
  use Socket;
  my $byte = "x";
  my $control = pack("Qiiix4", 20, 1, 1, 0);
  sub header {
    our $vector = pack("PQ", $byte, 1);
    pack("QLx4PQPQl", 0, 0, $vector, 1, $control, length $control, 0) . pack("x4");
  }
`;

/** Listens at its first argument and gives every caller its second, open for writing. */
export const GIVE_DESCRIPTOR = `${HEADER}
  $| = 1;
  my ($name, $file) = @ARGV;
  open my $given, "+<", $file or die "open: $!";
  socket(my $server, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
  bind($server, pack_sockaddr_un($name)) or die "bind: $!";
  chmod 0777, $name;
  listen($server, 5) or die "listen: $!";
  print "ready\\n";
  while (accept(my $peer, $server)) {
    $control = pack("Qiiix4", 20, 1, 1, fileno $given);
    my $header = header();
    syscall(${number(46, 211)}, fileno($peer), $header, 0);
  }
`;

/** Asks for it and writes to it. */
export const CHANGE_DESCRIPTOR = `${HEADER}
  $| = 1;
  print "control\\n";
  socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or exit;
  connect($socket, pack_sockaddr_un($ARGV[0])) or exit;
  my $header = header();
  syscall(${number(47, 212)}, fileno($socket), $header, 0) == 1 or exit;
  my $fd = (unpack "Qiii", $control)[3];
  open my $taken, "+<&=", $fd or exit;
  truncate $taken, 0;
  sysseek $taken, 0, 0;
  syswrite $taken, "changed";
`;
