/** How the worker of a language is started here. */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { PACKAGE_ROOT } from "../../../exec/index.ts";
import type { Interpreters } from "./find-interpreters.ts";
import type { Language } from "./language.ts";
import {
  framedStart,
  keptShellStart,
  pipedStart,
  type WorkerStart,
  workerStart,
} from "./worker-start.ts";

/** Ships with this package, beside its other folders. */
const WORKERS = path.join(PACKAGE_ROOT, "workers");
/** Those that are built, or compiled: what a session loads, it waits for. */
const BUILT = path.join(PACKAGE_ROOT, "dist/workers");
const PYTHON = path.join(BUILT, "python/python.py");

/** What R's worker loads beside its own files. */
const NATIVE = ["koffi", "@koromix"];

/** What workers of ours are made of, wherever this package lies. */
export function workerParts(node: string): string[] {
  return [WORKERS, BUILT, node, ...nativeParts()]
    .filter((part) => fs.existsSync(part))
    .map((part) => fs.realpathSync(part));
}

/** Where they may lie: beside this package, or above it. */
function nativeParts(): string[] {
  const folders = createRequire(path.join(WORKERS, "r.mjs")).resolve.paths("koffi") ?? [];
  return folders.flatMap((folder) => NATIVE.map((name) => path.join(folder, name)));
}

/** Why a language cannot be run, for who asked for it by name. */
export function lackOf(language: Language, { rHome }: Interpreters): string {
  return language === "r" && rHome !== undefined && !hasKoffi()
    ? "the package koffi is not installed. Run: npm install koffi"
    : "its interpreter was not found on this host";
}

function hasKoffi(): boolean {
  return nativeParts().some((part) => path.basename(part) === "koffi" && fs.existsSync(part));
}

/** An interrupt may unwind a step of the event loop itself, which Node would take for a fault and exit. */
export const NODE_FLAGS = ["--no-force-async-hooks-checks"];

/** Nothing where the interpreter of the language, or a part of its worker, is missing. */
export function startOf(
  language: Language,
  { node, python, bash, rHome }: Interpreters,
): WorkerStart | undefined {
  switch (language) {
    case "python":
      return python === undefined ? undefined : framedStart([python, PYTHON]);
    case "node":
      return pipedStart([node, ...NODE_FLAGS, path.join(BUILT, "node.cjs")]);
    case "bash":
      return bash === undefined ? undefined : keptShellStart(bash, workerFile("bash-keeper.bash"));
    case "r":
      return rHome === undefined || !hasKoffi()
        ? undefined
        : workerStart([node, workerFile("r.mjs")], { R_HOME: rHome });
  }
}

function workerFile(name: string): string {
  return path.join(WORKERS, name);
}
