/** Looks for the interpreters of this host, as whoever started the server would find them. */
import fs from "node:fs";
import path from "node:path";
import { isProgram } from "../../../exec/index.ts";

/** The programs that were found. */
export interface Interpreters {
  /** Runs the workers that are written for it. */
  readonly node: string;
  readonly python: string | undefined;
  readonly bash: string | undefined;
  readonly rHome: string | undefined;
}

export interface InterpreterSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a project's own environment is looked for, and above it. */
  readonly cwd: string;
  readonly home: string;
  /** The Node that runs workers. */
  readonly node: string;
}

/** What is there; a language whose program is missing has none. */
export function findInterpreters({ env, cwd, home, node }: InterpreterSearch): Interpreters {
  const onPath = (name: string) =>
    first((env.PATH ?? "").split(":").map((folder) => path.join(folder, name)));
  return {
    node,
    python:
      first([
        ...given(env.MCP_REPL_PYTHON_EXECUTABLE),
        ...given(env.VIRTUAL_ENV).map((folder) => path.join(folder, "bin/python")),
        ...above(cwd, home).flatMap((folder) =>
          ["python", "python3"].map((name) => path.join(folder, ".venv/bin", name)),
        ),
        ...given(env.CONDA_PREFIX).map((folder) => path.join(folder, "bin/python")),
      ]) ??
      onPath("python3") ??
      onPath("python"),
    bash: onPath("bash"),
    rHome:
      first(given(env.R_HOME), isFolder) ?? first(["/usr/lib/R", "/usr/local/lib/R"], isFolder),
  };
}

function given(value: string | undefined): string[] {
  return value === undefined || value === "" ? [] : [value];
}

/** The folder and those above it, up to the user's home or the top. */
function above(folder: string, home: string): string[] {
  const parent = path.dirname(folder);
  return folder === home || parent === folder ? [folder] : [folder, ...above(parent, home)];
}

function first(candidates: readonly string[], holds = isProgram): string | undefined {
  return candidates.find((one) => path.isAbsolute(one) && holds(one));
}

function isFolder(folder: string): boolean {
  return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
