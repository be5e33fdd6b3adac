/** Commands and paths that a page tells its reader to use, and which of them do not exist. */
import { codeBlocks, inlineCode } from "./markdown.ts";

export interface Known {
  /** Scripts of `package.json`. */
  readonly scripts: readonly string[];
  /** Commands of the CLI; a name may have several words. */
  readonly commands: readonly string[];
}

type Words = readonly string[];

const SHELLS = new Set(["sh", "bash", "shell"]);
const SESSIONS = new Set(["console", "shell-session"]);
/** `$ `, or with the name of a machine: `there$ `. */
const PROMPT = /^\s*\w*\$ /;
const NPM_SHORTHANDS = new Set(["test", "start", "stop", "restart"]);
const PLACEHOLDER = /^[<[⟨…]|^\.\.\./;
const REPOSITORY_PATH = /^(?:docs|src|test|bench|bin|tools|schema|examples|\.ci)\/[^\s`'"]*$/;

/** What the page says to run that cannot be run, as written. */
export function unknownCommands(text: string, known: Known): string[] {
  return [...blockLines(text), ...inlineCode(text)]
    .flatMap((line) => simpleCommands(line))
    .filter((words) => !isKnown(words, known))
    .map((words) => words.join(" "));
}

/** Repository paths in inline code. Placeholders such as `<layer>` become `*`, lines are cut off. */
export function pathsIn(text: string): string[] {
  return inlineCode(text)
    .filter((code) => REPOSITORY_PATH.test(code))
    .map((code) => code.replace(/[:#].*$/, "").replaceAll(/<[^>]*>|⟨[^⟩]*⟩|…/g, "*"));
}

function blockLines(text: string): string[] {
  return codeBlocks(text).flatMap((block) => {
    const lines = block.text.replaceAll(/\\\n\s*/g, " ").split("\n");
    if (SHELLS.has(block.language)) return lines.map((line) => line.replace(PROMPT, ""));
    if (!SESSIONS.has(block.language)) return [];
    return lines.filter((line) => PROMPT.test(line)).map((line) => line.replace(PROMPT, ""));
  });
}

/** Splits a line at pipes and lists, and drops what may stand before a program's name. */
function simpleCommands(line: string): Words[] {
  const pieces = line.replace(/(^|\s)#.*$/, "").split(/&&|\|\||[|;]|\$\(/);
  return pieces.map((piece) => {
    const words = piece.trim().split(/\s+/).filter(Boolean);
    const start = words.findIndex((word) => !/^(sudo|env|exec|time|npx|\w+=.*)$/.test(word));
    return words.slice(start < 0 ? words.length : start);
  });
}

function isKnown([program = "", ...args]: Words, known: Known): boolean {
  if (program === "npm") return isKnownNpm(args, known);
  if (!/^(.*\/)?(bin\/)?writ$/.test(program)) return true;
  const words = args.slice(Math.max(0, args.findIndex(isNoOption)));
  const [first] = words;
  if (first === undefined || !isNoOption(first) || PLACEHOLDER.test(first)) return true;
  return known.commands.some((name) => names(words, name.split(" ")));
}

function isKnownNpm([verb = "", ...args]: Words, known: Known): boolean {
  if (verb === "exec") return isKnown(args.slice(Math.max(0, args.findIndex(isNoOption))), known);
  const script = verb === "run" ? args.find(isNoOption) : verb;
  const isScript = verb === "run" || NPM_SHORTHANDS.has(verb);
  return !isScript || PLACEHOLDER.test(script ?? "<>") || known.scripts.includes(script ?? "");
}

/** True if `words` begin with the command, or name the group it is in and stop there. */
function names(words: Words, command: Words): boolean {
  const given = words.filter(isNoOption).slice(0, command.length);
  const whole = given.length === command.length || given.length === words.length;
  return whole && given.every((word, index) => word === command[index]);
}

function isNoOption(word: string): boolean {
  return !word.startsWith("-");
}
