/** Runs `writ` in a terminal of its own, as a person would, and types into it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import tty from "node:tty";
import { onTestFinished } from "vitest";
import type { Place } from "../support/sandbox-user.ts";

interface NativePty {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number };
  resize(fd: number, columns: number, rows: number): void;
}

const library = createRequire(import.meta.url).resolve("@lydell/node-pty");
const native: NativePty = createRequire(library)(
  `@lydell/node-pty-${process.platform}-${process.arch}/pty.node`,
);

export interface OuterTerminal {
  readonly child: ChildProcess;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the pattern was printed behind what the last call found. */
  shows(pattern: RegExp): Promise<string>;
  /** The status of writ, or the name of the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
  /** All that was printed. */
  text(): string;
}

/** Starts `writ ARGS` on a terminal of 100 by 30. A shell around it keeps the terminal open. */
export function inTerminal(place: Place, args: readonly string[]): OuterTerminal {
  const { master, slave } = native.open(100, 30);
  const outer = new tty.ReadStream(master);
  const child = spawn("/usr/bin/setsid", ["--ctty", ...place.argv(args)], {
    cwd: place.workspace,
    env: { ...place.env, TERM: "dumb" },
    stdio: [slave, slave, slave],
  });
  closeSync(slave);
  onTestFinished(() => {
    child.kill("SIGKILL");
    outer.destroy();
  });
  return new Session(child, outer, (columns, rows) => native.resize(master, columns, rows));
}

class Session implements OuterTerminal {
  readonly child: ChildProcess;
  readonly resize: OuterTerminal["resize"];
  readonly #outer: tty.ReadStream;
  readonly #exit: Promise<unknown[]>;
  #text = "";
  #seen = 0;

  constructor(child: ChildProcess, outer: tty.ReadStream, resize: OuterTerminal["resize"]) {
    this.child = child;
    this.resize = resize;
    this.#outer = outer;
    this.#exit = once(child, "exit");
    outer.on("error", () => {});
    outer.on("data", (chunk) => {
      this.#text += String(chunk);
    });
  }

  type(keys: string): void {
    this.#outer.write(keys);
  }

  async shows(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#text.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return found[0];
      }
      await once(this.#outer, "data", { signal: AbortSignal.timeout(60_000) }).catch(() => {
        throw new Error(`Cannot find ${pattern} in ${JSON.stringify(this.#text)}`);
      });
    }
  }

  async ended(): Promise<number | NodeJS.Signals | null> {
    const [code, signal] = await this.#exit;
    return (code ?? signal) as number | NodeJS.Signals | null;
  }

  text(): string {
    return this.#text;
  }
}
