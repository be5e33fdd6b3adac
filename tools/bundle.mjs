/**
 * Puts the command line into a few files under dist/bin.
 *
 * A command starts in half the time when it loads a few files instead of some
 * hundred, and sooner still without the loader for ES modules; the library under
 * dist stays as the compiler wrote it. No module does
 * anything when it is loaded but build schemas, so what a command does not use is
 * left out of what it loads.
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
    return code.replace(/import \{([^}]*)\} from "(\.[^"]*\/index\.js)";/g, (_, names, from) => {
      const places = placesIn(path.resolve(path.dirname(id), from));
      return namesOf(names)
        .map((name) => `import { ${name} } from ${JSON.stringify(places.get(name.split(" ")[0]))};`)
        .join("\n");
    });
  },
};

const bundle = await rolldown({
  input: path.join(root, "dist/cli/main.js"),
  platform: "node",
  external: [/^node:/, /^@lydell\//, /^@vercel\/sandbox/],
  plugins: [straight],
  treeshake: { moduleSideEffects: false, manualPureFunctions: ["z"] },
});
const folder = path.join(root, "dist/bin");
await bundle.write({ dir: folder, format: "cjs" });
fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "commonjs" }\n');
