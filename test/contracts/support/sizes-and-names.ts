/** The limits on files, folders and names that no linter rule expresses. */
import path from "node:path";
import { exportsOf } from "./syntax.ts";

const LINES = { source: 300, test: 400 };
const EXPORTS = 5;
const FILES_PER_FOLDER = 16;
const EMPTY_WORDS = /^(utils?|helpers?|common|shared|managers?|services?|data|infos?)$/;
/** Entry points: they are run, not imported. */
const ENTRIES = new Set(["src/cli/main.ts"]);

export function sizeFindings(file: string, text: string): string[] {
  const limit = file.startsWith("test/") ? LINES.test : LINES.source;
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines > limit ? [`${file} has ${lines} lines, the limit is ${limit}`] : [];
}

/** Counts names, so that a schema and its type are one export. `index.ts` may export a whole layer. */
export function exportFindings(file: string, text: string): string[] {
  const names = exportsOf(text);
  if (names.includes("*")) return [`${file} re-exports everything instead of names`];
  if (isIndex(file) || names.length <= EXPORTS) return [];
  return [`${file} exports ${names.length} names, the limit is ${EXPORTS}: ${names.join(", ")}`];
}

/**
 * A file is found by what it exports: `plan-linux.ts` has `planLinux`, `process.ts` `processMethods`,
 * `camel-policy.ts` `readCamelPolicy` and `writeCamelPolicy`.
 * Both `json-rpc-2.ts` and `json-rpc2.ts` may hold `jsonRpc2`.
 */
export function fileNameFindings(file: string, text: string): string[] {
  if (isIndex(file) || ENTRIES.has(file)) return [];
  const name = path.basename(file, ".ts").replaceAll(/-(?=\d)/g, "");
  const exported = exportsOf(text).map(kebabCase);
  const fits = exported.some((one) => `-${one}-`.includes(`-${name}-`));
  return fits ? [] : [`${file} is named after none of its exports: ${exported.join(", ")}`];
}

/** Words that say nothing about what is inside, in paths and in exported types. */
export function emptyWordFindings(file: string, text: string): string[] {
  const types = exportsOf(text).filter((name) => /^[A-Z].*[a-z]/.test(name));
  return [
    ...file.split(/[/.-]/).filter((word) => EMPTY_WORDS.test(word)),
    ...types.filter((name) =>
      kebabCase(name)
        .split("-")
        .some((word) => EMPTY_WORDS.test(word)),
    ),
  ].map((name) => `${file}: the name "${name}" says nothing`);
}

export function folderFindings(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => path.posix.dirname(file));
  return [...folders]
    .filter(([, inside]) => inside.length > FILES_PER_FOLDER)
    .map(([folder, { length }]) => `${folder} has ${length} files, limit ${FILES_PER_FOLDER}`);
}

function kebabCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .replaceAll("_", "-")
    .replaceAll(/-(?=\d)/g, "")
    .toLowerCase();
}

function isIndex(file: string): boolean {
  return path.basename(file) === "index.ts";
}
