/**
 * The first file that runs. It must load on any Node, so that an old one is told what is missing
 * instead of failing on a word it does not know. What it imports first holds no such word; everything
 * else is imported after the check, and once it can be taken from the cache.
 */
import os from "node:os";
import path from "node:path";
import { keepCode } from "./start/keep-code.ts";
import { writHome } from "./writ-home.ts";

const required = 24;
const major = Number.parseInt(process.versions.node, 10);

if (major < required) {
  process.stderr.write(
    `writ: Cannot start on Node.js ${process.versions.node}: expected version ${required} or newer\n${remedy()}\n`,
  );
  process.exitCode = 1;
} else {
  start();
}

/** The binary comes as a package for some hosts; npx takes it before the one on the PATH. */
function remedy(): string {
  const host = `${process.platform}-${process.arch}`;
  return ["linux-x64", "linux-arm64"].includes(host)
    ? `Run: npm install node-${host}@${required}, then start it with npx; or install Node.js from nodejs.org`
    : "Install Node.js from nodejs.org";
}

/**
 * Node opens a debugger on SIGUSR1, and whoever reaches its port can then do all that this process may,
 * other users of the machine included. With what a listener leaves behind the signal ends this one as it
 * ends any other.
 */
function allowNoDebugger(): void {
  const listener = () => {};
  process.on("SIGUSR1", listener).off("SIGUSR1", listener);
}

async function start(): Promise<void> {
  allowNoDebugger();
  const args = process.argv.slice(2);
  const home = writHome(process.env, os.homedir());
  if (home !== undefined) {
    // What `run` calls is not what others call of the same files.
    const use = args[0] === "run" ? "run" : "other";
    keepCode({ program: import.meta.dirname, kept: path.join(home, "cache", use), home });
  }
  const { runCli } = await import("./run-cli.ts");
  process.exitCode = await runCli(args);
  if (isLocalRun(args)) leave();
}

/** Elsewhere a connection has to be closed, which takes a while after the answer. */
function isLocalRun([name, ...words]: readonly string[]): boolean {
  return name === "run" && !words.some((word) => word.startsWith("--on"));
}

/**
 * What was started is over and what was made is taken away, so nothing is left to do but to take down
 * the engine, for which somebody waits some milliseconds. What was said is heard first.
 */
function leave(): void {
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
}
