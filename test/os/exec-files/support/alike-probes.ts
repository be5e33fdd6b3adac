/** The same questions to a command in the sandbox and to the file operations. */
import { text } from "node:stream/consumers";
import { FileError } from "../../../../src/exec/files/file-error.ts";
import type { AtPath, FileOperations } from "../../../../src/exec/files/file-operations.ts";
import { uriOfNative } from "../../../../src/policy/index.ts";
import { type LaunchPlan, startPlan } from "../../../../src/sandbox/index.ts";

export const VERBS = ["stat", "list", "read", "write", "create", "mkdir", "remove"] as const;
export type Verb = (typeof VERBS)[number];

export interface Probe {
  readonly verb: Verb;
  readonly path: string;
}

const DENIED = new Set(["EACCES", "EPERM", "EROFS", "EBUSY", "denied", "readOnly", "busy"]);
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "missing",
  notFound: "missing",
  ENOTDIR: "notDirectory",
  EEXIST: "exists",
  ENOTEMPTY: "notEmpty",
  EISDIR: "isDirectory",
  ELOOP: "loop",
};

function classOf(word: string): string {
  return DENIED.has(word) ? "denied" : (WORDS[word] ?? word);
}

/** What is made is taken away again, so that each question finds what the one before it found. */
const SCRIPT = `
  use Errno; use Fcntl; $| = 1;
  sub go {
    my ($verb, $path) = @_;
    if ($verb eq "stat") { return stat($path) ? 1 : 0 }
    if ($verb eq "list") { opendir(my $folder, $path) or return 0; return 1 }
    if ($verb eq "read") { sysopen(my $file, $path, O_RDONLY | O_NONBLOCK) or return 0; my $byte; return defined(sysread($file, $byte, 1)) ? 1 : 0 }
    if ($verb eq "write") { sysopen(my $file, $path, O_WRONLY | O_CREAT | O_NONBLOCK) or return 0; return 1 }
    if ($verb eq "create") { sysopen(my $file, $path, O_WRONLY | O_CREAT | O_EXCL) or return 0; unlink($path); return 1 }
    if ($verb eq "mkdir") { mkdir($path) or return 0; rmdir($path); return 1 }
    if (lstat($path) && -d _) { return rmdir($path) ? 1 : 0 }
    return unlink($path) ? 1 : 0;
  }
  for (@ARGV) {
    my ($verb, $path) = split / /, $_, 2;
    $! = 0;
    my $done = go($verb, $path);
    my $error = $! + 0;
    my ($name) = grep { &{"Errno::$_"}() == $error } qw(EACCES EPERM EROFS EBUSY ENOENT ENOTDIR EEXIST ENOTEMPTY EISDIR ELOOP);
    print $done ? "ok" : ($name // $error), "\\n";
  }
`;

/** The command that asks. */
export function commandFor(probes: readonly Probe[]): [string, ...string[]] {
  const lines = probes.map(({ verb, path }) => `${verb} ${path}`);
  return ["/usr/bin/perl", "-e", SCRIPT, ...lines];
}

/** Nothing where the sandbox could not be built. */
export async function askCommand(plan: LaunchPlan, records: string): Promise<string[] | undefined> {
  const running = await startPlan(plan, { records: records as never, streams: "pipe" });
  const [stdout, stderr, outcome] = await Promise.all([
    running.stdout ? text(running.stdout) : "",
    running.stderr ? text(running.stderr) : "",
    running.outcome,
  ]);
  if (outcome.kind === "notStarted") return undefined;
  if (outcome.kind !== "exited" || outcome.code !== 0) {
    throw new Error(`Cannot ask the command: ${JSON.stringify(outcome)} ${stderr}`);
  }
  return answersIn(stdout);
}

/** What the command has printed, an answer a line. */
export function answersIn(stdout: string): string[] {
  return stdout.split("\n").filter(Boolean).map(classOf);
}

export async function askFiles(
  files: FileOperations,
  under: Pick<AtPath, "sandbox" | "anchor">,
  probes: readonly Probe[],
): Promise<string[]> {
  const answers: string[] = [];
  for (const { verb, path } of probes) {
    const at = { path: uriOfNative(path), links: "follow" as const, ...under };
    answers.push(await outcomeOf(() => ask(files, verb, at)));
  }
  return answers;
}

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "ok";
  } catch (error) {
    if (error instanceof FileError) return classOf(error.code);
    throw error;
  }
}

async function ask(files: FileOperations, verb: Verb, at: AtPath): Promise<void> {
  const now = { recursive: false, force: false };
  switch (verb) {
    case "stat":
      await files.getMetadata(at);
      return;
    case "list":
      await files.readDirectory(at);
      return;
    case "read":
      await files.readFile(at);
      return;
    case "write":
      await files.writeFile(at, new Uint8Array(1));
      return;
    case "create":
      await files.writeFile(at, new Uint8Array(1));
      return files.remove(at, now);
    case "mkdir":
      await files.createDirectory(at, now);
      return files.remove(at, now);
    case "remove":
      return files.remove(at, now);
  }
}
