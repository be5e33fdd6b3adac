/** Finds the command, parses its flags, and turns errors into sentences and exit codes. */
import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import { parseArgs } from "node:util";
import { visibleLine } from "../sandbox/index.ts";
import {
  type CliWorld,
  type Command,
  type CommandInput,
  type FlagValues,
  UsageError,
} from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { helpOf, overview } from "./help/help-of.ts";
import { nearestName } from "./help/nearest-name.ts";
import { optionProblem } from "./help/option-problem.ts";

/** Runs one command line against the real process. */
export async function runCli(argv: readonly string[]): Promise<number> {
  // What writ prints asks for each piece; what a command prints is the command's to notice.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  const cwd = currentFolder();
  if (cwd === undefined) {
    process.stderr.write(
      "writ: Cannot find the current folder: it is gone, expected one. Run: cd\n",
    );
    return NOT_STARTED;
  }
  const world: CliWorld = {
    out: (text) => process.stdout.write(text, (error) => error && giveUp(error)),
    err: (text) => process.stderr.write(text),
    env: ownEnvironment(),
    cwd,
    home: os.homedir(),
    hostname: os.hostname(),
    platform: process.platform,
    isWatched: process.stderr.isTTY,
  };
  const spoilt = spoiltWord(argv);
  if (spoilt === undefined) return runCliIn(argv, world);
  return fail(world, `Cannot use "${spoilt}": it is not UTF-8, expected words that are`);
}

/**
 * Beside FORCE_COLOR Node does not heed NO_COLOR and says so in a warning. Here NO_COLOR has the last word, so
 * Node sees it alone; what was set stays in the copy, for commands.
 */
function ownEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  if (env.NO_COLOR) delete process.env.FORCE_COLOR;
  return env;
}

/** Node puts a sign in the place of bytes that are no UTF-8: another file would be meant, and nobody told. */
function spoiltWord(argv: readonly string[]): string | undefined {
  const word = argv.find((one) => one.includes("\uFFFD"));
  if (word === undefined || !existsSync(AS_TYPED)) return undefined;
  return isUtf8(readFileSync(AS_TYPED)) ? undefined : word;
}

const AS_TYPED = "/proc/self/cmdline";

/** Nothing when it was removed, or lies behind a folder that this user cannot look into. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** A reader that has left wants no more; any other failure is one. */
function giveUp(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`writ: Cannot write the output: ${error.message}\n`);
  process.exit(1);
}

/** Runs one command line in a given world; the exit status is the answer. */
export async function runCliIn(argv: readonly string[], world: CliWorld): Promise<number> {
  const [name, ...rest] = argv;
  if (name === "--version" || name === "-V") return print(world, `${version()}\n`);
  if (name === undefined) {
    world.err(overview(COMMANDS));
    return BAD_INPUT;
  }
  if (name === "--help" || name === "-h") return print(world, overview(COMMANDS));
  if (name === "help") return runCliIn([...rest, "--help"], world);
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return fail(world, noCommand(name));
  if (asksForHelp(rest)) return print(world, helpOf(command));
  try {
    return await command.run(parse(command, rest), world);
  } catch (error) {
    return told(error, command, world);
  }
}

function noCommand(name: string): string {
  if (name.startsWith("-")) return noOption(name);
  const near = nearestName(name, [...COMMANDS.map((one) => one.name), "--help", "--version"]);
  const meant = near === undefined ? "" : `. Did you mean ${near}?`;
  return `Cannot run "${name}": there is no such command${meant}`;
}

/** Options of commands stand behind them. */
function noOption(name: string): string {
  const near = name.startsWith("--") ? nearestName(name, ["--help", "--version"]) : undefined;
  const meant =
    near === undefined
      ? ", expected a command first, --help or --version"
      : `. Did you mean ${near}?`;
  return `Cannot use "${name}": there is no such option${meant}`;
}

/** What stands behind `--` belongs to somebody else. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

function parse(command: Command, words: readonly string[]): CommandInput {
  try {
    const args = joined(words, command.verbatim ?? []);
    const bare = command.rest === "command" ? bareWord(command, args) : undefined;
    const { values, positionals, tokens } = strictly(command, args.slice(0, bare));
    if (bare !== undefined) {
      throw new UsageError(`Cannot take "${args[bare]}" for a command: expected -- before it`);
    }
    refuseTwice(
      tokens.flatMap((token) =>
        token.kind === "option" && !command.options[token.name]?.multiple ? [token.name] : [],
      ),
    );
    const order = tokens.flatMap((token) =>
      token.kind === "option" && token.value !== undefined
        ? [{ name: token.name, value: token.value }]
        : [],
    );
    refuseEmpty(order, command);
    return { flags: values as FlagValues, positionals, order };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(optionProblem(cause, command), { cause });
  }
}

function strictly({ options }: Command, args: string[]) {
  return parseArgs({ args, options, allowPositionals: true, strict: true, tokens: true });
}

/**
 * Where a command begins that no `--` stands before, if one does. What it brings along would count as
 * options of ours, and its author could widen their own sandbox.
 */
function bareWord({ options }: Command, args: string[]): number | undefined {
  const settings = { args, options, allowPositionals: true, strict: false, tokens: true } as const;
  const first = parseArgs(settings).tokens.find(({ kind }) => kind !== "option");
  return first?.kind === "positional" ? first.index : undefined;
}

function joined(args: readonly string[], verbatim: readonly string[]): string[] {
  const [first, second, ...rest] = args;
  if (first === undefined || first === "--") return [...args];
  if (second === undefined || !verbatim.some((name) => first === `--${name}`)) {
    return [first, ...joined(args.slice(1), verbatim)];
  }
  return [`${first}=${second}`, ...joined(rest, verbatim)];
}

/** Of two values one would have to be ignored, and nobody could say which. */
function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Cannot use --${twice} twice: expected it once`);
}

/** A variable that is not set would name the folder that somebody happens to be in. */
function refuseEmpty(order: CommandInput["order"], { takes }: Command): void {
  for (const { name, value } of order) {
    const taken = takes?.[name];
    if (value !== "" || (taken !== "file" && taken !== "folder")) continue;
    throw new UsageError(`Cannot use --${name} "": it is empty, expected a ${taken}`);
  }
}

/** By name, so that the layers they come from are loaded only by the commands that need them. */
const INPUT_ERRORS = ["UsageError", "PolicyError", "JsonError"];

/** A file that cannot be meant as written. */
const FILE_ERROR = "ConfigError";

/** What nothing on the command line can help. */
const REFUSALS = ["SandboxError", "ExecError", "ReceiptStoreError", "SessionStoreError"];

/** The sandbox itself failed: the number that env(1) and its like use for "could not start". */
const NOT_STARTED = 125;

const BAD_INPUT = 2;

/** What the host refused, in its own words; anything else that is not expected is a fault of writ. */
function isSystemError(error: Error): boolean {
  return "syscall" in error && "code" in error;
}

/** Says what went wrong in one sentence, and with which status. */
function told(error: unknown, command: Command, world: CliWorld): number {
  if (!(error instanceof Error)) throw error;
  if (INPUT_ERRORS.includes(error.name)) return fail(world, error.message, command);
  const isFile = error.name === FILE_ERROR;
  if (!isFile && !REFUSALS.includes(error.name) && !isSystemError(error)) throw error;
  // Nothing about the command line helps there, so its help is not offered.
  world.err(`writ: ${visibleLine(error.message)}\n`);
  return isFile ? BAD_INPUT : NOT_STARTED;
}

function fail(world: CliWorld, message: string, command?: Command): number {
  world.err(`writ: ${visibleLine(message)}\n`);
  world.err(`Run: writ ${command ? `${command.name} ` : ""}--help\n`);
  return BAD_INPUT;
}

function print(world: CliWorld, text: string): number {
  world.out(text);
  return 0;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
