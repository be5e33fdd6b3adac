/** What a cell finds without importing it. */
import { builtinModules, createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { quietly } from "./quietly.mjs";

const require = createRequire(import.meta.url);

/** Defines `require`, the modules of Node, `prompt`, and what `import` is rewritten to. */
export function fillGlobals(post) {
  // A session has no main module: its own file is none of what it loaded.
  delete require.cache[fileURLToPath(import.meta.url)];
  process.mainModule = undefined;
  const hide = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  hide("require", createRequire(path.join(process.cwd(), "repl.js")));
  hide("prompt", (question = "") => post.askNow(`${question}`)?.replace(/\n$/, "") ?? null);
  hide("writ:import", (...args) => quietly(() => importerFor(process.cwd())(...args)));
  hide("writ:meta", {
    get url() {
      return pathToFileURL(path.join(process.cwd(), "repl.mjs")).href;
    },
    get dirname() {
      return process.cwd();
    },
  });
  for (const name of builtinModules.filter(
    (one) => !/^_|\/|^(?:module|sys|trace_events)$/.test(one),
  )) {
    if (!(name in globalThis)) defineLazily(name);
  }
}

function defineLazily(name) {
  const settle = (value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      settle(require(`node:${name}`));
      return globalThis[name];
    },
    set: settle,
  });
}

const importers = new Map();

/** Imports as a module in `folder` would. */
function importerFor(folder) {
  const known = importers.get(folder);
  if (known) return known;
  const importer = vm.runInThisContext("(specifier, options) => import(specifier, options)", {
    filename: path.join(folder, "repl.mjs"),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  importers.set(folder, importer);
  return importer;
}
