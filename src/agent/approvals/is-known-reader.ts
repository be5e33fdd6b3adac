/** Programs that only read, whatever words follow them. */
const READERS: ReadonlySet<string> = new Set([
  ...["cat", "echo", "grep", "head", "id", "ls", "nl"],
  ...["pwd", "stat", "tail", "true", "uname", "wc", "whoami"],
]);

/** Nothing in it means anything to a shell. */
const PLAIN = /^[A-Za-z0-9_./,:@%+= -]+$/;

/** Whether a command line is known to only read: one program of a short list, and plain words. */
export function isKnownReader(line: string): boolean {
  if (!PLAIN.test(line)) return false;
  const [program = ""] = line.split(" ");
  return READERS.has(program);
}
