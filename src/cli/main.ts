/**
 * The first file that runs. It must load on any Node, so that an old one is told what is missing
 * instead of failing on a word it does not know; everything else is imported after the check.
 */
import module from "node:module";
import os from "node:os";

const required = 24;
const major = Number.parseInt(process.versions.node, 10);

if (major < required) {
  process.stderr.write(
    `writ: Cannot start on Node.js ${process.versions.node}: expected version ${required} or newer\n`,
  );
  process.exitCode = 1;
} else {
  start();
}

async function start(): Promise<void> {
  // Not the default place: a command in a sandbox may write to the temporary folder, and whoever
  // writes this cache decides what the next start runs.
  const { writHome } = await import("./writ-home.ts");
  const home = writHome(process.env, os.homedir());
  if (home !== undefined) await cacheCode(`${home}/cache`);
  const { runCli } = await import("./run-cli.ts");
  process.exitCode = await runCli(process.argv.slice(2));
}

/** A start without it is slower, and nothing else. */
async function cacheCode(folder: string): Promise<void> {
  const { makeFolder } = await import("./make-folder.ts");
  try {
    makeFolder(folder);
    module.enableCompileCache(folder);
  } catch {
    // Whoever needs the folder says what is wrong with it.
  }
}
