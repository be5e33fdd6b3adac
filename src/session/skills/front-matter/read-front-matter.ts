/**
 * `SKILL.md`, read leniently: what can be understood counts, and what is not as it should be is said.
 *
 * Only what restricts is read strictly. A restriction that cannot be understood, or that may be one,
 * refuses the skill.
 */
import type { SkillHead } from "../skill.ts";
import type { SkillProblem } from "../skill-set.ts";
import { parseAllowedTools } from "./parse-allowed-tools.ts";
import { parseSkillPolicy } from "./parse-skill-policy.ts";
import { parseYaml } from "./parse-yaml.ts";
import { splitFrontMatter } from "./split-front-matter.ts";

export interface FrontMatterPlace {
  /** The name of the skill's folder. */
  readonly folderName: string;
  /** What `~` means in a policy. */
  readonly home: string;
}

export type HeadProblem = Omit<SkillProblem, "path">;

export interface ReadSkill {
  /** Nothing where there is an error. */
  readonly head: SkillHead | undefined;
  /** What it is called, also where there is an error; nothing where that cannot be told. */
  readonly name: string | undefined;
  readonly body: string;
  readonly problems: readonly HeadProblem[];
}

const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;
const MOST_COMPATIBILITY = 500;
/** What can be a folder and a word in every place where it is used. */
const USABLE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const STANDARD_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** A key that nobody knows here and that may take something away, or bring in one that does. */
const RESTRICTIVE =
  /^<<$|tool|permission|polic|sandbox|allow|den(y|ied)|disable|network|restrict|limit|^writ|hook|read-?only|file-?system|profile|access(?!ib)|approv|block|forbid/i;

type Table = Readonly<Record<string, unknown>>;
type Note = (severity: HeadProblem["severity"], message: string) => void;

/** Reads the text of a `SKILL.md`. Never throws for what is in it. */
export function readFrontMatter(text: string, place: FrontMatterPlace): ReadSkill {
  const problems: HeadProblem[] = [];
  const note: Note = (severity, message) => problems.push({ severity, message });
  const split = splitFrontMatter(text);
  if (split === undefined) {
    note("error", 'it has no front matter, expected a first line "---" and a second one below');
    return { head: undefined, name: undefined, body: "", problems };
  }
  const table = tableOf(split.head, note);
  const { name, head } = table === undefined ? UNKNOWN : headOf(table, place, note);
  if (split.body === "") note("warning", "it has no text, expected instructions");
  const isRefused = problems.some(({ severity }) => severity === "error");
  return { head: isRefused ? undefined : head, name, body: split.body, problems };
}

const UNKNOWN = { name: undefined, head: undefined };

function tableOf(head: string, note: Note): Table | undefined {
  const value = parsed(head, note);
  if (value === undefined) return undefined;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Table;
  note("error", "its front matter is no table, expected keys and values");
  return undefined;
}

/** People write colons into plain text; then the text is meant, and nothing else. */
function parsed(head: string, note: Note): unknown {
  try {
    return parseYaml(head);
  } catch (first) {
    try {
      const value = parseYaml(withQuotes(head));
      note("warning", `its front matter is no YAML (${sentence(first)}), expected quoted texts`);
      return value;
    } catch {
      note("error", `its front matter is no YAML: ${sentence(first)}`);
      return undefined;
    }
  }
}

const PLAIN_LINE = /^(name|description|license|compatibility):[ \t]+([^"'|>&*!{[\s].*)$/gm;

function withQuotes(head: string): string {
  return head.replace(PLAIN_LINE, (_, key, value) => `${key}: ${JSON.stringify(value.trim())}`);
}

function headOf(
  table: Table,
  place: FrontMatterPlace,
  note: Note,
): Pick<ReadSkill, "name" | "head"> {
  refuseStrangers(table, note);
  noteOthers(table, note);
  const name = nameOf(table.name, place, note);
  const description = descriptionOf(table.description, note);
  const allowedTools = restriction(table, "allowed-tools", parseAllowedTools, note);
  const policy = restriction(table, "writ", (value) => parseSkillPolicy(value, place.home), note);
  const isManual = restriction(table, "disable-model-invocation", flagOf, note) ?? false;
  if (name === undefined || description === undefined) return { name, head: undefined };
  noteShownTools(allowedTools, note);
  return { name, head: { name, description, allowedTools, policy, isManual } };
}

const STANDARD = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
const OWN = ["writ", "disable-model-invocation"];
/** Known elsewhere, and of no effect here. */
const ELSEWHERE = ["argument-hint", "model", "version"];

function refuseStrangers(table: Table, note: Note): void {
  for (const key of Object.keys(table)) {
    if ([...STANDARD, ...OWN].includes(key)) continue;
    const shown = JSON.stringify(key.slice(0, MOST_NAME));
    if (RESTRICTIVE.test(key)) {
      note("error", `it has ${shown}, which may restrict it and is not known here`);
    } else if (!ELSEWHERE.includes(key)) note("warning", `it has ${shown}, which nothing heeds`);
  }
}

/** What nothing depends on, for whoever checks. */
function noteOthers({ license, compatibility, metadata }: Table, note: Note): void {
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  if (!isText(license)) note("warning", '"license" is no text, expected one');
  if (!isText(compatibility) || String(compatibility ?? "").length > MOST_COMPATIBILITY) {
    const expected = `at most ${MOST_COMPATIBILITY} characters of text`;
    note("warning", `"compatibility" is not as it should be, expected ${expected}`);
  }
  const isTable = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  if (metadata !== undefined && !isTable) note("warning", '"metadata" is no table, expected one');
}

function nameOf(value: unknown, { folderName }: FrontMatterPlace, note: Note): string | undefined {
  const name = typeof value === "string" ? value.trim() : folderName;
  if (typeof value !== "string") note("warning", `it has no "name", expected "${folderName}"`);
  if (!USABLE_NAME.test(name)) {
    const shown = JSON.stringify(name.slice(0, MOST_NAME));
    note("error", `its name ${shown} cannot be used, expected letters, digits and hyphens`);
    return undefined;
  }
  if (name.length > MOST_NAME || !STANDARD_NAME.test(name)) {
    const expected = `at most ${MOST_NAME} of a-z and 0-9 with single hyphens inside`;
    note("warning", `its name "${name}" is not of the usual form, expected ${expected}`);
  }
  if (name !== folderName) {
    const folder = JSON.stringify(folderName);
    note("warning", `its name "${name}" is not that of its folder, expected ${folder}`);
  }
  return name;
}

function descriptionOf(value: unknown, note: Note): string | undefined {
  const text = typeof value === "string" ? value.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim() : "";
  if (text === "") {
    note("error", 'it has no "description", expected what it is for and when');
    return undefined;
  }
  if (text.length > MOST_DESCRIPTION) {
    const expected = `at most ${MOST_DESCRIPTION}`;
    note("warning", `its description has ${text.length} characters, expected ${expected}`);
  }
  if (/[<>]/.test(text)) note("warning", 'its description holds "<" or ">", expected neither');
  // Half a character is no text: a model's server refuses a request that holds one.
  return text.slice(0, MOST_DESCRIPTION).toWellFormed();
}

/** Null where the key is absent; where it is there it is read, or the skill is refused. */
function restriction<T>(
  table: Table,
  key: string,
  read: (value: unknown) => T,
  note: Note,
): T | null {
  if (!Object.hasOwn(table, key)) return null;
  try {
    return read(table[key]);
  } catch (error) {
    note("error", `"${key}" cannot be used: ${sentence(error)}`);
    return null;
  }
}

function flagOf(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new Error("it is no yes or no, expected true or false");
}

function noteShownTools(allowed: readonly string[] | null, note: Note): void {
  const pattern = allowed?.find((word) => word.includes("(") || word.includes("*"));
  if (pattern === undefined) return;
  const what = "which cannot be kept here and opens nothing, expected the name of a tool";
  note("warning", `"allowed-tools" has the pattern "${pattern}", ${what}`);
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
