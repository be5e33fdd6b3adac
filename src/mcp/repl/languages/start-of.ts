/** How the worker of a language is started here. */
import path from "node:path";
import { PACKAGE_ROOT } from "../../../exec/index.ts";
import type { Interpreters } from "./find-interpreters.ts";
import type { Language } from "./language.ts";
import { type WorkerStart, workerStart } from "./worker-start.ts";

/** Ships with this package, beside its other folders. */
const WORKERS = path.join(PACKAGE_ROOT, "workers");

/** Nothing where the interpreter of the language is missing. */
export function startOf(
  language: Language,
  { node, python, bash, rHome }: Interpreters,
): WorkerStart | undefined {
  switch (language) {
    case "python":
      return python === undefined ? undefined : workerStart([python, workerFile("python.py")]);
    case "node":
      return workerStart([node, workerFile("node.mjs")]);
    case "bash":
      return bash === undefined ? undefined : workerStart([node, workerFile("bash.mjs"), bash]);
    case "r":
      return rHome === undefined
        ? undefined
        : workerStart([node, workerFile("r.mjs")], { R_HOME: rHome });
  }
}

function workerFile(name: string): string {
  return path.join(WORKERS, name);
}
