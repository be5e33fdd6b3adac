/**
 * Builds dist, unless what lies there is what these sources were built to.
 *
 * `npm ci` builds, and so do the scripts that test: the second time there is nothing to do.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const SOURCES = [
  "src",
  "workers",
  "tools/build.mjs",
  "tools/bundle.mjs",
  "tools/bundle-workers.mjs",
  "tools/compile-python.mjs",
  "tools/licenses.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
  "package-lock.json",
];
const STEPS = [
  ["node_modules/.bin/tsc", "-p", "tsconfig.build.json"],
  [process.execPath, "tools/bundle.mjs"],
  [process.execPath, "tools/bundle-workers.mjs"],
  [process.execPath, "tools/compile-python.mjs"],
  [process.execPath, "tools/licenses.mjs"],
];

/** Not in dist, which is packed as it is. */
const mark = path.join(root, ".cache/built");

function digestOf(parts) {
  const digest = createHash("sha256").update(process.version);
  for (const file of parts.flatMap(filesBelow)) {
    const bytes = fs.readFileSync(path.join(root, file));
    digest.update(`\n${file}\n${bytes.length}\n`).update(bytes);
  }
  return digest.digest("hex");
}

function filesBelow(part) {
  const found = fs.statSync(path.join(root, part), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found === undefined ? [] : [part];
  const entries = fs.readdirSync(path.join(root, part), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

const marks = () => `${digestOf(SOURCES)} ${digestOf(["dist"])}\n`;

function isBuilt() {
  return fs.existsSync(mark) && fs.readFileSync(mark, "utf8") === marks();
}

function build() {
  for (const old of [mark, path.join(root, "dist")])
    fs.rmSync(old, { recursive: true, force: true });
  for (const [program, ...args] of STEPS) {
    const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
    if (status !== 0) throw error ?? new Error(`Cannot build: ${args[0]} ended with ${status}`);
  }
  fs.mkdirSync(path.dirname(mark), { recursive: true });
  fs.writeFileSync(mark, marks());
}

if (!isBuilt()) build();
