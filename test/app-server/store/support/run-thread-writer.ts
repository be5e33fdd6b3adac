import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { onTestFinished } from "vitest";
import { bundledProgram } from "../../../support/bundled-program.ts";

const SOURCE = path.join(import.meta.dirname, "thread-writer.ts");

/** A process that works in a thread. */
export interface ThreadWriter {
  /** The ids that it has said with a word so far, in order. */
  said(word: string): string[];
  /** Settles once it has said that word, or is over. */
  until(word: string): Promise<void>;
  /** Settles once it is over by itself. */
  over(): Promise<void>;
  /** Settles once it is dead and collected. */
  kill(): Promise<void>;
}

/** Starts one; the shell words before it set limits. It is ended with the test. */
type RunThreadWriter = (args: readonly string[], before?: string) => ThreadWriter;

/** For the tests of one file, which start the same program. */
export function threadWriters(): RunThreadWriter {
  const program = bundledProgram(SOURCE);
  return (args, before = "") => watch(start([program(), ...args], before));
}

function watch(child: ChildProcess): ThreadWriter {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const over = once(child, "close").then(() => {});
  const words = () => text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  const said = (word: string) =>
    words()
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  const saying = (word: string) =>
    new Promise<void>((resolve) => {
      const look = () => said(word).length > 0 && resolve();
      child.stdout?.on("data", look);
      look();
    });
  return {
    said,
    until: (word) => Promise.race([over, saying(word)]),
    over: () => over,
    async kill() {
      child.kill("SIGKILL");
      await over;
    },
  };
}

function start(args: readonly string[], before: string): ChildProcess {
  const script = `${before} exec "$0" "$@"`;
  const child = spawn("/bin/sh", ["-c", script, process.execPath, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
