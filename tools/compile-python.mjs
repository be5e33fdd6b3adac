/**
 * Puts the worker of the Python session under dist/workers, compiled for every Python 3 on the PATH.
 *
 * A session would compile it with each start: it may be where nothing can be written, and what a sandbox
 * writes is not loaded by the next. Python takes what was compiled only where it is of the same version and
 * of the same source, else the source. Without a Python there is nothing to compile, and nothing is amiss.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const target = path.join(root, "dist/workers/python");
const PACKAGE = "writ_python";
const COMPILE = ["-I", "-S", "-m", "compileall", "-q", "--invalidation-mode", "checked-hash"];

fs.cpSync(path.join(root, "workers/python.py"), path.join(target, "python.py"));
fs.cpSync(path.join(root, "workers", PACKAGE), path.join(target, PACKAGE), {
  recursive: true,
  filter: (file) => path.basename(file) !== "__pycache__",
});
for (const folder of new Set(process.env.PATH?.split(path.delimiter))) {
  const python = path.join(folder, "python3");
  // From there: where it was compiled stands in what was made, and is of no use to anybody.
  if (path.isAbsolute(python)) spawnSync(python, [...COMPILE, PACKAGE], { cwd: target });
}
