import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SOURCES = path.join(ROOT, "src/");
const BESIDE = ["bin", "node_modules", "package.json", "workers"];
/** As deep as the sources, which find the rest of the program from there. */
const PLACE = "dist/bundled";

/**
 * A program that imports the sources, in one file for all tests of the calling file: to load some
 * hundred takes ten times the processor of what most are started for. Says where it is once tests run.
 * Packages that few of its starts load may stay outside.
 */
export function bundledProgram(source: string, outside: readonly RegExp[] = []): () => string {
  let folder = "";
  beforeAll(async () => {
    folder = makeFolder();
    await bundle(source, outside, path.join(folder, PLACE));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => path.join(folder, PLACE, "program.js");
}

/** Beside it lies what the sources look for from where they are. */
function makeFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "writ-bundled-"));
  for (const name of BESIDE) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  return folder;
}

async function bundle(source: string, outside: readonly RegExp[], folder: string): Promise<void> {
  // It is large, and not every process has such a test.
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: { program: source },
    platform: "node",
    logLevel: "silent",
    external: [/^node:/, /^@lydell\//, /^@vercel\//, "koffi", ...outside],
    // Of the sources none does anything when it is loaded, but the one that is started.
    treeshake: { moduleSideEffects: (id) => (isQuiet(id, source) ? false : undefined) },
  });
  await made.write({ dir: folder, format: "esm" });
  await made.close();
}

function isQuiet(id: string, source: string): boolean {
  return id.startsWith(SOURCES) && id !== source;
}
