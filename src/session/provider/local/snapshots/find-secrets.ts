/** What root alone may read among the settings of the system, so that a build of root's does not. */
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../../../policy/index.ts";
import { Refusal } from "../../../refusal.ts";

/** Each is a rule of its own, and no system has as many. */
const MOST = 1000;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;

/** Files and folders below `top` that not everybody may read: passwords, keys, and copies of them. */
export function findSecrets(top: string): AbsolutePath[] {
  const secrets: AbsolutePath[] = [];
  const waiting = [top];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of namesIn(next)) {
      const at = path.join(next, name);
      const kind = kindOf(at);
      if (kind === "secret") secrets.push(parseAbsolutePath(at));
      if (kind === "folder") waiting.push(at);
    }
  }
  if (secrets.length <= MOST) return secrets;
  throw new Refusal(
    "unsupported",
    `Cannot keep the secrets of this machine from a build: there are ${secrets.length} in "${top}", expected up to ${MOST}`,
  );
}

/** What a link leads to is looked at where that lies. */
function kindOf(at: string): "secret" | "folder" | "plain" {
  const found = fs.lstatSync(at, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return "plain";
  const needed = found.isDirectory() ? OTHERS_READ | OTHERS_ENTER : OTHERS_READ;
  if ((found.mode & needed) !== needed) return "secret";
  return found.isDirectory() ? "folder" : "plain";
}

/** A folder that is gone by now holds nothing. */
function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}
