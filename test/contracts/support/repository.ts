/**
 * The checkout as the contracts see it: files that belong to it, by repository-relative path.
 *
 * Works without git, because a fresh machine may have none: what `.gitignore` names is left out,
 * everything else counts as tracked.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export const ROOT = path.resolve(import.meta.dirname, "../../..");

const ignored = readText(".gitignore").split("\n").filter(Boolean);
const ignoredFolders = new Set([".git", ...ignored.map((line) => line.replaceAll("/", ""))]);
const ignoredEndings = ignored.filter((line) => line.startsWith("*")).map((line) => line.slice(1));

/** Files under `folder` ("" is the whole checkout), sorted. A folder that is absent has none. */
export function filesUnder(folder: string, ending = ""): string[] {
  const absolute = path.join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true })
    .filter((entry) => !isIgnored(entry.name))
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return filesUnder(file, ending);
      return entry.isFile() && file.endsWith(ending) ? [file] : [];
    })
    .sort();
}

export function readText(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}

/** TypeScript that people wrote: fixtures are material, not code of the project. */
export function codeFiles(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => filesUnder(folder, ".ts"))
    .filter((file) => !file.startsWith("test/fixtures/"));
}

/** Imports a module of the checkout that may not be there yet; the error says which one is missing. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  if (!existsSync(path.join(ROOT, file))) {
    throw new Error(`Cannot check the contract: ${file} is missing`);
  }
  return await import(/* @vite-ignore */ pathToFileURL(path.join(ROOT, file)).href);
}

function isIgnored(name: string): boolean {
  return ignoredFolders.has(name) || ignoredEndings.some((ending) => name.endsWith(ending));
}
