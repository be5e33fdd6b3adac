/**
 * What paths lead through: by folder, the names in it that they depend on.
 *
 * Each folder on the way is among them, since one that is renamed takes what is below along, and each
 * that a link on the way lies in or leads through.
 */
import fs from "node:fs";
import path from "node:path";

export type Ways = ReadonlyMap<string, ReadonlySet<string>>;

/** The most links one path may lead through, as the kernel has it. */
const MAX_LINKS = 40;
const MAX_FOLDERS = 512;

/** The ways to all of some paths as they are now; nothing where they lead through too many folders. */
export function waysTo(files: readonly string[]): Ways | undefined {
  const ways = new Map<string, Set<string>>();
  const found = new Map<string, Found>();
  for (const file of files) {
    for (const { folder, name } of stepsOf(file, found)) {
      const names = ways.get(folder) ?? new Set();
      ways.set(folder, names.add(name));
      if (ways.size > MAX_FOLDERS) return undefined;
    }
  }
  return ways;
}

interface Step {
  readonly folder: string;
  readonly name: string;
}

/** From the top on, as far as something is there. */
function* stepsOf(file: string, found: Map<string, Found>): Generator<Step> {
  const left = namesOf(file).reverse();
  let folder = "/";
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const at = path.join(folder, name);
    if (name !== "..") yield { folder, name };
    const here = found.get(at) ?? look(at);
    found.set(at, here);
    if (here === "end" || links > MAX_LINKS) return;
    if (here === "folder") {
      folder = at;
      continue;
    }
    links += 1;
    left.push(...namesOf(here.target).reverse());
    folder = path.isAbsolute(here.target) ? "/" : folder;
  }
}

function namesOf(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

/** Nothing leads on from what is missing, closed or no folder. */
type Found = "folder" | "end" | { readonly target: string };

function look(at: string): Found {
  try {
    const found = fs.lstatSync(at, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return { target: fs.readlinkSync(at) };
    return found?.isDirectory() ? "folder" : "end";
  } catch {
    return "end";
  }
}
