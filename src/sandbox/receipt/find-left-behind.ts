/**
 * What a run left that other programs run or trust later.
 *
 * The policy allows these writes, since no project could be worked on without
 * them; a person should know of them all the same. The look is bounded: the top
 * of each writable root, and repositories a few folders down.
 */
import fs from "node:fs";
import path from "node:path";
import type { BoundProfile } from "../../policy/index.ts";
import type { Receipt } from "./receipt.ts";

const RUN_LATER: Readonly<Record<string, string>> = {
  ".npmrc": "npm obeys it",
  ".yarnrc.yml": "yarn obeys it and may load plugins from it",
  ".pnpmfile.cjs": "pnpm runs it",
  "pip.conf": "pip obeys it",
  "package.json": "its scripts run with the next install or build",
  "AGENTS.md": "agents take it for instructions",
  "CLAUDE.md": "agents take it for instructions",
  ".bashrc": "the next shell runs it",
  ".zshrc": "the next shell runs it",
  ".profile": "the next shell runs it",
};

const DEPTH = 3;
const MOST_FOLDERS = 2000;
const MOST_FILES = 50;

/** Everything of that kind below the writable roots that changed since `since`, in milliseconds. */
export function findLeftBehind({ files }: BoundProfile, since: number): Receipt["leftBehind"] {
  const roots = files.type === "restricted" ? files.entries : [];
  const look = new Look(since);
  for (const { path: root, access } of roots) if (access === "write") look.at(root);
  return { kind: "lookedFor", files: look.found.slice(0, MOST_FILES) };
}

class Look {
  readonly found: { path: string; why: string }[] = [];
  readonly #since: number;
  #left = MOST_FOLDERS;

  constructor(since: number) {
    this.#since = since;
  }

  at(root: string): void {
    for (const [name, why] of Object.entries(RUN_LATER)) this.#note(path.join(root, name), why);
    this.#repositories(root, DEPTH);
  }

  /** Not at the root itself: what is there is protected. */
  #repositories(folder: string, depth: number): void {
    if (depth === 0 || this.#left-- <= 0) return;
    for (const entry of listOf(folder)) {
      if (!entry.isDirectory() || entry.name === ".git") continue;
      const inside = path.join(folder, entry.name);
      this.#note(path.join(inside, ".git"), "git runs its hooks and obeys its configuration");
      this.#repositories(inside, depth - 1);
    }
  }

  #note(file: string, why: string): void {
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.ctimeMs >= this.#since) this.found.push({ path: file, why });
  }
}

function listOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
