/** The interpreter behind the line REPL: Perl, one piece of code per line of input. */
import type { WorkerCommand } from "writ/mcp";

/**
 * Each line is a number and code in hex; a mark with the number follows what the code printed.
 * `$interrupts` counts the interrupts; code may set `$SIG{INT}` to leave on one.
 */
const SCRIPT = `
  $| = 1;
  open(STDERR, ">&", STDOUT);
  our ($busy, $interrupts) = (0, 0);
  $SIG{INT} = sub { $interrupts++; die "interrupted\\n" if $busy };
  sub put { my $to; print open($to, ">", $_[0]) && print($to "written") && close($to) ? "wrote;" : "denied;" }
  sub get { my $from; print open($from, "<", $_[0]) ? <$from> : "unreadable;" }
  sub nap { select(undef, undef, undef, $_[0]) }
  sub until_there { nap(0.01) until -e $_[0] }
  while (defined(my $line = <STDIN>)) {
    my ($number, $code) = $line =~ /^(\\d+) ([0-9a-f]*)$/ or next;
    $busy = 1;
    eval pack("H*", $code);
    $busy = 0;
    print $@;
    print "\\0$number\\0";
  }
`;

/** The command of a worker; its word tells its process from those of other workers. */
export function lineWorker(word: string): WorkerCommand {
  return {
    argv: ["/usr/bin/perl", "-e", SCRIPT, word],
    env: { PATH: "/usr/bin:/bin" },
    envPolicy: null,
    terminal: null,
  };
}

/** A line of input for it. */
export function lineOf(number: number, code: string): string {
  return `${number} ${Buffer.from(code).toString("hex")}\n`;
}
