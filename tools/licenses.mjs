/**
 * Writes the licences of all packages that the bundle may have inside to dist/bin, as they ask for.
 *
 * What is meant by that is every package that the sources import, and what those need; one that
 * the bundle leaves out may be listed, none that it holds is missing.
 */
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const packages = path.join(root, "node_modules");
const read = (folder) => JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));

/** Beside the bundle, with licences of their own. */
const OUTSIDE = ["@vercel/sandbox"];

const { dependencies, peerDependencies } = read(root);
const found = new Map();
const names = Object.keys({ ...dependencies, ...peerDependencies });
for (const name of names.filter((one) => !OUTSIDE.includes(one))) add(name);

function add(name) {
  const folder = path.join(packages, name);
  if (found.has(name) || !fs.existsSync(folder)) return;
  const manifest = read(folder);
  found.set(name, { folder, ...manifest });
  for (const other of Object.keys(manifest.dependencies ?? {})) add(other);
}

function textOf({ folder, name, version, license }) {
  const file = fs.readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? "" : fs.readFileSync(path.join(folder, file), "utf8").trim();
  return { head: `${name} ${version} (${license})`, text };
}

/** Each text once, under the names of all that have it. */
const byText = Map.groupBy([...found.values()].map(textOf), ({ text }) => text);
const parts = [...byText].map(
  ([text, all]) => `${all.map(({ head }) => head).join("\n")}\n\n${text}\n`,
);
fs.writeFileSync(path.join(root, "dist/bin/LICENSES.txt"), parts.join(`\n${"-".repeat(80)}\n\n`));
