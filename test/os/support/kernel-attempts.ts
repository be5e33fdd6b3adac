/** System calls by number, made by perl under the real `writ run`. */

/** The number of a call on this machine. */
export function number(x64: number, arm64: number): number {
  return process.arch === "arm64" ? arm64 : x64;
}

export const EPERM = 1;
export const ENOSYS = 38;

/** Numbers go into registers as they are, a text as its address. */
export type Calls = Readonly<Record<string, readonly (number | string)[]>>;

const PROBE = `
  $| = 1;
  for (@ARGV) {
    my ($name, $nr, @args) = split / /;
    @args = map { /^-?\\d+$/ ? $_ + 0 : "$_\\0" } @args;
    $! = 0;
    my $result = syscall($nr + 0, @args);
    print "$name ", ($result == -1 ? $! + 0 : 0), "\\n";
  }
`;

/** A command that makes all calls, and says the errno of each. */
export function callsCommand(calls: Calls): string[] {
  const lines = Object.entries(calls).map(([name, call]) => [name, ...call].join(" "));
  return ["/usr/bin/perl", "-e", PROBE, ...lines];
}

/** The errno of each call, 0 where it succeeded. */
export function errnosIn(stdout: string): Record<string, number> {
  return pairsIn(stdout, Number);
}

/** Lines of a name and a word. */
export function pairsIn<T>(text: string, read: (word: string) => T): Record<string, T> {
  const lines = text.split("\n").filter(Boolean);
  return Object.fromEntries(
    lines
      .map((line) => line.split(" "))
      .map(([name = "", ...words]) => [name, read(words.join(" "))]),
  );
}
