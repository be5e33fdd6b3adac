/**
 * Puts the worker of the Node session into two files under dist/workers: one for each of its threads.
 *
 * A session starts some ten milliseconds sooner from one file, without the loader for ES modules.
 */
import path from "node:path";
import { rolldown } from "rolldown";

const root = path.resolve(import.meta.dirname, "..");
const ENTRIES = { node: "workers/node.mjs", post: "workers/node/post.mjs" };

const IMPORT = /^import (?:(\w+)|\{([^}]*)\}) from ("node:[^"]+");$/gm;

/**
 * What is imported of Node is taken when the worker is loaded, as an import does. What a bundler writes for
 * that looks it up each time, and finds what a cell has put in its place.
 */
const builtins = {
  name: "builtins",
  transform(code) {
    return code.replace(IMPORT, (_, whole, members, from) => {
      const names = whole ?? `{${members.replace(/ as /g, ": ")}}`;
      return `const ${names} = globalThis.process.getBuiltinModule(${from});`;
    });
  },
  generateBundle(_, files) {
    for (const { code, fileName } of Object.values(files)) {
      const missed = /__toESM|^import /m.exec(code);
      if (missed !== null) throw new Error(`Cannot bundle: "${missed[0]}" in ${fileName}`);
    }
  },
};

for (const [name, input] of Object.entries(ENTRIES)) {
  const bundle = await rolldown({
    input: path.join(root, input),
    platform: "node",
    plugins: [builtins],
  });
  const file = path.join(root, `dist/workers/${name}.cjs`);
  await bundle.write({ file, format: "cjs", banner: '"use strict";' });
  await bundle.close();
}
