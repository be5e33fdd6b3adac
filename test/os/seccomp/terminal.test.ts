/** What a command could do to the terminal of whoever started the sandbox. */
import { describe, expect, it } from "vitest";
import { callers, hostFilter, MARKS, runFiltered, withMarks } from "./run-filtered.ts";

const filter = hostFilter({ network: "off", unixSockets: "none" });
const SUCCESS = 0;

/** Makes a terminal its own, so that the kernel has no reason of its own to refuse, and uses it. */
const PROBE = `
  use POSIX;
  $| = 1;
  fork() and do { wait; exit($? >> 8) };
  POSIX::setsid();
  sysopen(my $master, "/dev/ptmx", O_RDWR | O_NOCTTY) or die "ptmx: $!";
  my $unlock = pack("i", 0);
  ioctl($master, 0x40045431, $unlock) or die "unlock: $!";
  my $number = pack("i", 0);
  ioctl($master, 0x80045430, $number) or die "number: $!";
  sysopen(my $terminal, "/dev/pts/" . unpack("i", $number), O_RDWR) or die "pts: $!";
  my %controls = (TIOCGWINSZ => 0x5413, TIOCSTI => 0x5412, TIOCLINUX => 0x541c, TIOCSETD => 0x5423);
  %controls = (%controls, TIOCEXCL => 0x540c, TCXONC => 0x540a);
  for my $name (sort keys %controls) {
    my $argument = pack("x64");
    print "$name ", (ioctl($terminal, $controls{$name}, $argument) ? 0 : $! + 0), "\\n";
  }
`;

describe.each(callers)("a terminal, for %s", (caller) => {
  const use = (steps?: typeof filter) => {
    const command = ["perl", "-e", PROBE];
    const run = runFiltered({ caller, command, ...(steps && { filter: steps }) });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    const lines = run.stdout.trimEnd().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(" ")).map(([k, v]) => [k, Number(v)]));
  };

  it("cannot be typed into, pasted into, given a driver, stopped or locked, but keeps its size", () => {
    expect(use(withMarks(filter))).toEqual({
      TCXONC: MARKS.EPERM,
      TIOCEXCL: MARKS.EPERM,
      TIOCGWINSZ: SUCCESS,
      TIOCLINUX: MARKS.EPERM,
      TIOCSETD: MARKS.EPERM,
      TIOCSTI: MARKS.EPERM,
    });
  });

  it("could be given a driver, and locked, without the filter", () => {
    expect(use()).toMatchObject({ TIOCGWINSZ: SUCCESS, TIOCSETD: SUCCESS, TIOCEXCL: SUCCESS });
  });
});
