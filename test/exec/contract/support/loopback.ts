/** Commands that serve and ask on the loopback, for a sandbox that shows the system's programs. */
import type { RunningProcess } from "../../../../src/exec/index.ts";

const SERVE = `use IO::Socket::INET; $| = 1;
my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => shift, Listen => 5, ReuseAddr => 1) or die $!;
print "serving\\n"; while (my $c = $s->accept) { print $c "hello\\n"; close $c }`;

const ASK = `use IO::Socket::INET;
my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => shift, Timeout => 5);
print $s ? <$s> : "refused\\n"`;

/** Prints `serving`, and answers everybody with `hello`. */
export function serveOn(port: number): string[] {
  return ["/usr/bin/perl", "-e", SERVE, String(port)];
}

/** Prints what is answered there, or `refused`. */
export function askAt(port: number): string[] {
  return ["/usr/bin/perl", "-e", ASK, String(port)];
}

/** Waits until a process has printed something; what follows is read and dropped. */
export async function firstOutput(process: RunningProcess): Promise<string> {
  const events = process.events[Symbol.asyncIterator]();
  const { value, done } = await events.next();
  if (done || value.kind !== "output") throw new Error("it ended before it printed anything");
  void drain(events).catch(() => {});
  return Buffer.from(value.chunk).toString();
}

async function drain(events: AsyncIterator<unknown>): Promise<void> {
  while (!(await events.next()).done);
}
