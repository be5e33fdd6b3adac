/** What is asked of install: which clients, which servers, and what to do. */
import path from "node:path";
import { parseArgs } from "node:util";
import { PACKAGE_ROOT } from "../../exec/index.ts";
import { findInterpreters, LANGUAGES, type Language, lackOf, startOf } from "../../mcp/index.ts";
import { type CliWorld, type CommandInput, type FlagValues, UsageError } from "../command.ts";
import { replCommand } from "../commands/repl-command.ts";
import { optionProblem } from "../help/option-problem.ts";
import { sandboxOperations, sandboxPlan } from "../repl/sandbox-plan.ts";
import type { ServerEntry } from "./server-entry.ts";

export type Client = "codex" | "claude";

export interface InstallRequest {
  readonly clients: readonly Client[];
  readonly languages: readonly Language[];
  /** What each entry has beside the rest. */
  readonly args: readonly string[];
  /** What `args` leave to us to say: nothing that they say themselves. */
  readonly defaults: EntryDefaults;
  readonly remove: boolean;
  readonly dryRun: boolean;
}

/** Which of our own arguments an entry gets. */
export interface EntryDefaults {
  readonly sandbox: boolean;
  readonly oversized: boolean;
}

/** Only Codex sends the sandbox of a call with it. */
const SANDBOX: Readonly<Record<Client, string>> = { codex: "inherit", claude: "workspace-write" };

/** What each entry says for itself, or what would make it no server. */
const OWN = ["language", "interpreter", "worker-spec", "version"];

/** Reads the command line. Throws on what cannot be meant. */
export function readInstallRequest(input: CommandInput, world: CliWorld): InstallRequest {
  const { flags, positionals } = input;
  const args = [flags.arg ?? []].flat().map(String);
  const remove = flags.remove === true;
  if (remove && args.length > 0) throw new UsageError("Cannot use --arg with --remove");
  return {
    clients: clientsIn(positionals),
    languages: remove ? (named(flags) ?? LANGUAGES) : languagesFound(flags, world),
    args,
    defaults: defaultsBeside(args),
    remove,
    dryRun: flags["dry-run"] === true,
  };
}

/** The servers that a request asks for, as one client starts them. */
export function serversOf(
  { languages, args, defaults }: InstallRequest,
  client: Client,
): ServerEntry[] {
  const sandbox = defaults.sandbox ? ["--sandbox", SANDBOX[client]] : [];
  // An agent has files to read, and no patience for pages.
  const oversized = defaults.oversized ? ["--oversized-output", "files"] : [];
  return languages.map((name) => ({
    name,
    command: path.join(PACKAGE_ROOT, "bin/writ"),
    args: ["repl", ...sandbox, ...oversized, "--language", name, ...args],
  }));
}

function clientsIn(positionals: readonly string[]): Client[] {
  if (positionals.length === 0) {
    throw new UsageError("Cannot install: no client was given, expected codex or claude");
  }
  return [...new Set(positionals)].map((name) => {
    if (name === "codex" || name === "claude") return name;
    throw new UsageError(`Cannot install into "${name}": expected codex or claude`);
  });
}

function named({ language }: FlagValues): Language[] | undefined {
  if (language === undefined) return undefined;
  const names = [language].flat().map((text) => {
    const found = LANGUAGES.find((one) => one === text);
    if (found !== undefined) return found;
    throw new UsageError(`Cannot install "${text}": expected ${LANGUAGES.join(", ")}`);
  });
  return [...new Set(names)];
}

/** Those that were named, all of which have to be here; else those that are. */
function languagesFound(flags: FlagValues, world: CliWorld): Language[] {
  const found = findInterpreters({ ...world, node: process.execPath });
  const isHere = (language: Language) => startOf(language, found) !== undefined;
  const asked = named(flags);
  const missing = asked?.find((language) => !isHere(language));
  if (missing !== undefined) {
    throw new UsageError(`Cannot install ${missing}: ${lackOf(missing, found)}`);
  }
  return asked ?? LANGUAGES.filter(isHere);
}

/** Read as the server will read them, so that no entry is written that could not start. */
function defaultsBeside(args: readonly string[]): EntryDefaults {
  const options = parsed(args);
  const own = options.find(({ name }) => OWN.includes(name));
  if (own !== undefined) {
    throw new UsageError(`Cannot use --arg=--${own.name}: each entry says that for itself`);
  }
  const operations = sandboxOperations(
    options.map(({ name, value }) => ({ name, value: value ?? "" })),
  );
  sandboxPlan(operations);
  return {
    sandbox: operations.length === 0,
    oversized: options.every(({ name }) => name !== "oversized-output"),
  };
}

function parsed(args: readonly string[]): { name: string; value: string | undefined }[] {
  try {
    const { tokens } = parseArgs({
      args: [...args],
      options: replCommand.options,
      strict: true,
      tokens: true,
    });
    return tokens.flatMap((token) =>
      token.kind === "option" ? [{ name: token.name, value: token.value }] : [],
    );
  } catch (cause) {
    const why = optionProblem(cause, replCommand);
    throw new UsageError(`Cannot use --arg: writ repl would say: ${why}`, { cause });
  }
}
