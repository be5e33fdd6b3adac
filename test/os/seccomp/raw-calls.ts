/** Makes system calls by number, with perl, which every Debian has. */
import { type FilteredRun, runFiltered } from "./run-filtered.ts";

export interface RawCall {
  readonly name: string;
  readonly nr: number;
  /** Numbers go into registers as they are, a text as its address. */
  readonly args: readonly (number | bigint | string)[];
}

const PROBE = `
  $| = 1;
  for (@ARGV) {
    my ($name, $nr, @args) = split / /;
    @args = map { /^-?\\d+$/ ? $_ + 0 : $_ } @args;
    $! = 0;
    my $result = syscall($nr + 0, @args);
    print "$name ", ($result == -1 ? $! + 0 : 0), "\\n";
  }
`;

/** The errno of each call, 0 where it succeeded. */
export function rawCalls(
  calls: readonly RawCall[],
  run: Omit<FilteredRun, "command">,
): Record<string, number> {
  const lines = calls.map(({ name, nr, args }) => [name, nr, ...args].join(" "));
  const { status, stdout, stderr } = runFiltered({
    ...run,
    command: ["perl", "-e", PROBE, ...lines],
  });
  if (status !== 0) throw new Error(`The probe ended with ${status}: ${stderr}`);
  const answers = stdout.trimEnd().split("\n");
  return Object.fromEntries(answers.map((line) => line.split(" ")).map(([n, e]) => [n, Number(e)]));
}
