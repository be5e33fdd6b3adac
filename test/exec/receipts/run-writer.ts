import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { onTestFinished } from "vitest";
import { bundledProgram } from "../../support/bundled-program.ts";

const SOURCE = path.join(import.meta.dirname, "writer.ts");

/** One process that keeps receipts in a folder. */
export interface Writer {
  readonly child: ChildProcess;
  /** What it has said so far, a word and an id each. */
  said(): (readonly [string, string])[];
  /** Settles once it is over, or once it has said that word. */
  until(word?: string): Promise<void>;
}

/** Starts a writer; the shell words before it set limits. */
type RunWriter = (args: readonly string[], before?: string) => Writer;

/** For the tests of one file, which start the same program. */
export function receiptWriters(): RunWriter {
  const program = bundledProgram(SOURCE);
  return (args, before = "") => start([program(), ...args], before);
}

function start(args: readonly string[], before: string): Writer {
  const script = `${before} exec "$0" "$@"`;
  const child = spawn("/bin/sh", ["-c", script, process.execPath, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const over = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const saying = (word: string) =>
    new Promise<void>((resolve) => {
      const look = () => text.includes(`${word} `) && resolve();
      child.stdout.on("data", look);
      look();
    });
  return {
    child,
    said: () => linesOf(text),
    until: (word) => (word === undefined ? over : Promise.race([over, saying(word)])),
  };
}

/** The last line may be cut short by the end of its writer. */
function linesOf(text: string): (readonly [string, string])[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [word = "", id = ""] = line.split(" ");
      return [word, id] as const;
    });
}
