/**
 * Puts the command line into a few files under dist/bin.
 *
 * A command starts in half the time when it loads a few files instead of some
 * hundred, and sooner still without the loader for ES modules; the library under
 * dist stays as the compiler wrote it. No module does anything when it is loaded but
 * build schemas, so what a command does not use is left out of what it loads.
 */
import fs from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const root = path.resolve(import.meta.dirname, "..");
/** The names that an index file passes on, and the files they come from. */
function placesIn(index) {
  const lines = fs.readFileSync(index, "utf8").matchAll(/export \{([^}]*)\} from "([^"]+)";/g);
  return new Map(
    [...lines].flatMap(([, names, from]) =>
      namesOf(names).map((name) => [name, path.resolve(path.dirname(index), from)]),
    ),
  );
}

function namesOf(list) {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * Lets a module that imports through the index of a layer depend on just the files it uses: an
 * index leads to the whole layer, and what it leads to is loaded.
 */
const straight = {
  name: "straight",
  transform(code, id) {
    if (!id.startsWith(path.join(root, "dist")) || id.endsWith("/index.js")) return null;
    const eachOf = (names, from, line) => {
      const places = placesIn(path.resolve(path.dirname(id), from));
      const placeOf = (name) => {
        const place = places.get(name.split(" ")[0]);
        if (place === undefined) throw new Error(`Cannot bundle: no ${name} in ${from} for ${id}`);
        return JSON.stringify(place);
      };
      return namesOf(names)
        .map((name) => line(name, placeOf(name)))
        .join("\n");
    };
    return code
      .replace(/import \{([^}]*)\} from "(\.[^"]*\/index\.js)";/g, (_, names, from) =>
        eachOf(names, from, (name, file) => `import { ${name} } from ${file};`),
      )
      .replace(/const \{([^}]*)\} = await import\("(\.[^"]*\/index\.js)"\);/g, (_, names, from) =>
        eachOf(names, from, (name, file) => `const { ${name} } = await import(${file});`),
      );
  },
};

/**
 * Modules that are loaded with all that they import, each in one file: a file more costs more than
 * some functions that are not called. What an earlier one has is not in a later one, which loads it from
 * there; so what small commands need comes first, and servers last.
 */
const PARTS = [
  "cli/main",
  "cli/run-cli",
  "cli/run-under-policy",
  "cli/receipt-of-run",
  "cli/policy/read-policy-source",
  "cli/look-at-run",
  "sandbox/probe/probe-host",
  "cli/policy/settings-report",
  "cli/list-receipts",
  "cli/list-sessions",
  "cli/snapshot/list-snapshots",
  "cli/mcp/confine-server",
  "exec/protocol/process-methods",
  "cli/snapshot/open-dependencies",
  "cli/skills/list-skills",
  "cli/app/serve-app",
  "cli/exec/serve-executor",
  "cli/repl/serve-repl",
  "cli/app/open-app-server",
];

const names = PARTS.map((part) => path.basename(part));
const partOf = new Map();

const parts = {
  name: "parts",
  buildEnd(failed) {
    if (failed !== undefined) return;
    const put = (id, part) => {
      if (partOf.has(id)) return;
      partOf.set(id, part);
      for (const one of this.getModuleInfo(id)?.importedIds ?? []) put(one, part);
    };
    for (const part of PARTS) {
      const id = path.join(root, `dist/${part}.js`);
      if (this.getModuleInfo(id) === null) throw new Error(`Cannot bundle: there is no ${part}`);
      put(id, part);
    }
  },
};

/** Packages that another one looks for and nobody installed: whoever put one in the way would be run. */
const unlooked = {
  name: "unlooked",
  resolveId: (id) => (/^(bufferutil|utf-8-validate)$/.test(id) ? `\0${id}` : null),
  load: (id) => (id.startsWith("\0buffer") || id.startsWith("\0utf") ? "throw new Error()" : null),
};

/** A file of plain characters takes half the memory, and is there sooner. All others stand in texts. */
const plain = {
  name: "plain",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (names.includes(file.name)) file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};

/**
 * A module of Node as the code here imports it: its members, and itself as the default. What the bundler
 * writes for that makes a getter for each member in each file, some hundreds before anything is done.
 */
const builtins = {
  name: "builtins",
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = withoutRuntime(file.code.replace(INTEROP, MEMBERS));
    }
  },
};

const INTEROP = /^(node_\w+) = require_rolldown_runtime\.__toESM\(\1, 1\);$/gm;
const MEMBERS = "$1 = { __proto__: $1, default: $1 };";

/** To load a file of which nothing is used costs as much as any other. */
function withoutRuntime(code) {
  const without = code.replace(/^const require_rolldown_runtime = require\("[^"]+"\);\n/m, "");
  return without.includes("require_rolldown_runtime") ? code : without;
}

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// The first holds what the bundler starts from, and has its file anyhow.
const groups = PARTS.slice(1).map((part) => ({
  name: path.basename(part),
  test: (id) => partOf.get(id) === part,
}));

const bundle = await rolldown({
  input: path.join(root, "dist/cli/main.js"),
  platform: "node",
  preserveEntrySignatures: false,
  external: [/^node:/, /^@lydell\//, /^@vercel\/sandbox/],
  plugins: [unlooked, straight, parts, plain, builtins],
  // Loaded late by one, early by another: which file it is in is said above.
  checks: { ineffectiveDynamicImport: false },
  treeshake: { moduleSideEffects: false, manualPureFunctions: ["z"] },
});
const folder = path.join(root, "dist/bin");
await bundle.write({
  dir: folder,
  format: "cjs",
  comments: { legal: true, jsdoc: false, annotation: false },
  codeSplitting: { includeDependenciesRecursively: false, groups },
});
fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
