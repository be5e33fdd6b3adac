/**
 * A command in the words of a shell that waits for it in a sandbox.
 *
 * The shell is dash: it adds nothing to the variables but the folder it is in,
 * which bubblewrap sets as well, and keeps nothing open for the command. What it
 * cannot hand on exactly as bubblewrap would is not put into its words at all.
 */
import type { LaunchRequest } from "../launch-plan.ts";

/** The shell finds its order there. One digit: it has no words for other descriptors. */
export const ORDER_DESCRIPTOR = 3;

/** What is left in the pipe of an order that could not be carried out. */
export const ORDER_FAILED = "the order failed";

export type Order = Pick<LaunchRequest, "command" | "env"> & { readonly cwd: string };

/**
 * The order for a command; nothing where the shell would hand it on otherwise than it is.
 *
 * The braces matter: until the last one was read nothing is carried out, so that half an order is none.
 * Should the command not start, the shell says so in the pipe it read the order from, which it alone has
 * open, and which closes when the command takes its place.
 */
export function orderFor({ command, cwd, env }: Order): string | undefined {
  const [program] = command;
  const names = Object.keys(env).filter((name) => name !== "PWD");
  if (!names.every((name) => NAME.test(name) && !SHELL_OWN.has(name))) return undefined;
  // Without a PATH the two look for programs in different places, and in one the shell has words of its own.
  const isFound = env.PATH !== undefined || program.includes("/");
  if (program.startsWith("-") || !isFound || env.PATH?.includes("%")) return undefined;
  // What is too long for the kernel is told by bubblewrap before anything is started.
  const words = [...command, ...names.map((name) => `${name}=${env[name]}`)];
  if (words.some((word) => Buffer.byteLength(word) >= MOST_BYTES)) return undefined;
  const failed = `for f in /proc/self/fd/[1-9][0-9]*; do [ -p "$f" ] && echo "${ORDER_FAILED}" >"$f"; done`;
  return [
    "{",
    `trap '${failed}' EXIT`,
    `exec ${ORDER_DESCRIPTOR}<&-`,
    // The folder may be another one at the same path by now.
    `cd -- ${quoted(cwd)} || exit`,
    "unset OLDPWD",
    ...names.map((name) => `export ${name}=${quoted(env[name] ?? "")}`),
    `exec ${command.map(quoted).join(" ")}`,
    "}",
    "",
  ].join("\n");
}

/** What the kernel takes for one word; see execve(2). */
const MOST_BYTES = (1 << 17) - 1;

/** What a shell takes for a variable; others are handed on by bubblewrap alone. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables that mean something to the shell itself, which may refuse what they are set to. */
const SHELL_OWN = new Set(["LINENO", "OPTIND", "PPID"]);

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
