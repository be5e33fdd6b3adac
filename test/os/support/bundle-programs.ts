import { spawnSync } from "node:child_process";
import path from "node:path";
import { rolldown } from "rolldown";
import { TEST_PROGRAMS, testProgramsIn } from "./test-program.ts";

const OS = path.resolve(import.meta.dirname, "..");

/** Puts each program of the tests into one file: to load some hundred takes longer than what it is started for. */
export async function bundlePrograms(installed: string): Promise<void> {
  const files = Object.entries(TEST_PROGRAMS).map(([name, file]) => [name, path.join(OS, file)]);
  const bundle = await rolldown({
    input: Object.fromEntries(files),
    platform: "node",
    external: [/^node:/, /^@lydell\//, /^@vercel\//, "koffi"],
    // Of the sources none does anything when it is loaded.
    treeshake: { moduleSideEffects: (id) => id.startsWith(OS) },
  });
  const folder = testProgramsIn(installed);
  await bundle.write({ dir: folder, format: "esm" });
  spawnSync("chmod", ["-R", "a+rX", folder]);
}
