/**
 * Every change of a name that a program could make, as the system calls that mkdir, ln, mv, cp, rm, chmod and touch come to.
 *
 * One perl makes them all: to start a program for each takes longer than everything else of the test.
 */

export const FORMS = ["missing", "folder", "file"] as const;
export type Form = (typeof FORMS)[number];

export interface NamedRoot {
  readonly root: string;
  /** What lies at the root under each of the names. */
  readonly form: Form;
}

/** The number of renameat2 on this machine; its last argument below is RENAME_EXCHANGE. */
const RENAMEAT2 = process.arch === "arm64" ? 276 : 316;

/** `T` is a folder, `F` a file and `L` a link that the command made beside the name. */
const TRIES = `
  use Fcntl;
  sub wrote { my $file; sysopen($file, $_[0], O_WRONLY | O_CREAT | O_TRUNC) && syswrite($file, "x\\n") }
  sub exchanged { my ($one, $two) = @_; syscall(${RENAMEAT2}, -100, $one, -100, $two, 2) == 0 }
  sub made { my ($how, $from) = @_; unlink "L"; $how eq "link" ? link($from, "L") : symlink($from, "L") }
  my %any = (
    write => sub { wrote($_[0]) },
    mkdir => sub { mkdir $_[0] },
    "a link" => sub { symlink "T", $_[0] },
    "a link in its place" => sub { made("symlink", "T") && rename "L", $_[0] },
    "a link in it" => sub { symlink "T", "$_[0]/T" },
    "a folder in its place" => sub { rename "T", $_[0] },
    "a file in its place" => sub { rename "F", $_[0] },
    "a file into it" => sub { rename "F", "$_[0]/F" },
    "a copy over it" => sub { wrote($_[0]) || unlink($_[0]) && wrote($_[0]) },
    "a copy into it" => sub { wrote("$_[0]/F") },
    "a hard link" => sub { link "F", $_[0] },
    "a hard link in its place" => sub { made("link", "F") && rename "L", $_[0] },
    "a hard link in it" => sub { link "F", "$_[0]/F" },
    unlink => sub { unlink $_[0] },
    rmdir => sub { rmdir $_[0] },
    "move away" => sub { rename $_[0], "moved" },
    mode => sub { chmod 0777, $_[0] },
    times => sub { utime undef, undef, $_[0] },
    exchange => sub { exchanged("T", $_[0]) },
    "exchange back" => sub { exchanged($_[0], "F") },
    truncate => sub { truncate $_[0], 0 },
  );
  my %inside = (
    "write in it" => sub { wrote("$_[0]/keep") },
    "make in it" => sub { wrote("$_[0]/new") },
    "mkdir in it" => sub { mkdir "$_[0]/d" },
  );
  my %held = (
    "hard link to what it holds" => sub { link "$_[0]/keep", "hard-$_[0]" },
    "move out of it" => sub { rename "$_[0]/keep", "gone" },
    "unlink in it" => sub { unlink "$_[0]/keep" },
    "mode in it" => sub { chmod 0777, "$_[0]/keep" },
    "truncate in it" => sub { truncate "$_[0]/keep", 0 },
  );
  my %of = (
    missing => { %any, %inside },
    folder => { %any, %inside, %held },
    file => { %any, "hard link to it" => sub { link $_[0], "hard" } },
  );
`;

/** The first argument is the names, each other one a form and the root that has them in it. */
const PROGRAM = `
  $SIG{__WARN__} = sub { die @_ };
  my ($names, @roots) = @ARGV;
  for (@roots) {
    my ($form, $root) = split /=/, $_, 2;
    chdir $root or die "$root: $!";
    mkdir "T";
    wrote("F");
    my %tries = %{$of{$form}};
    for my $name (split / /, $names) {
      $tries{$_}->($name) and print "$_: $root/$name\\n" for sort keys %tries;
    }
    rmdir "T";
    unlink "F", "L";
    wrote("ok/control");
  }
  print "done\\n";
`;

/** A command that tries all on every name at every root, and says what worked. */
export function triesOn(names: readonly string[], roots: readonly NamedRoot[]): string[] {
  const words = roots.map(({ root, form }) => `${form}=${root}`);
  return ["/usr/bin/perl", "-e", `${TRIES}${PROGRAM}`, names.join(" "), ...words];
}
