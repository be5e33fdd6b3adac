/**
 * Puts the command line into a few files under dist/bin.
 *
 * A command starts in half the time when it loads a few files instead of some
 * hundred; the library under dist stays as the compiler wrote it. No module does
 * anything when it is loaded but build schemas, so what a command does not use is
 * left out of what it loads.
 */
import path from "node:path";
import { rolldown } from "rolldown";

const root = path.resolve(import.meta.dirname, "..");
const bundle = await rolldown({
  input: path.join(root, "dist/cli/main.js"),
  platform: "node",
  external: [/^node:/, /^@lydell\//],
  treeshake: { moduleSideEffects: false, manualPureFunctions: ["z"] },
});
await bundle.write({ dir: path.join(root, "dist/bin"), format: "esm" });
