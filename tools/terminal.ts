/**
 * A program in a terminal of its own: what it shows can be read, and keys can be pressed.
 *
 * tmux is the terminal. Nothing waits for a time: whoever expects something to be
 * shown looks until it is, and fails with the whole screen when it never comes.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface TerminalProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size?: { readonly columns: number; readonly rows: number };
}

/** Not below /tmp, which policies open: no command shall find the terminal it is shown in. */
const BASE = "/var/tmp/writ-tmux-";
const LOOKS = 600;
const LOOK_MS = 100;

export class Terminal {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ argv, cwd, env, size = { columns: 180, rows: 50 } }: TerminalProgram) {
    this.#folder = mkdtempSync(BASE);
    this.#env = { ...env, LANG: "C.UTF-8" };
    // What a program says last is still there when it has ended.
    writeFileSync(path.join(this.#folder, "conf"), "set -g remain-on-exit on\n");
    this.#tmux(
      "-f",
      path.join(this.#folder, "conf"),
      "new-session",
      "-d",
      ...["-x", String(size.columns), "-y", String(size.rows)],
      "-c",
      cwd,
      // tmux may miss the end of a program for good; a shell that waits for it does not.
      ...["/bin/sh", "-c", '"$@"; echo $? > "$0.new"; mv "$0.new" "$0"', this.#statusFile, ...argv],
    );
  }

  /** What is shown now. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p");
  }

  /** The same, with its colours. */
  get coloured(): string {
    return this.#tmux("capture-pane", "-p", "-e");
  }

  /** The exit status of the program; nothing while it runs. */
  get status(): number | undefined {
    return existsSync(this.#statusFile)
      ? Number(readFileSync(this.#statusFile, "utf8"))
      : undefined;
  }

  get #statusFile(): string {
    return path.join(this.#folder, "status");
  }

  type(text: string): void {
    this.#tmux("send-keys", "-l", "--", text);
  }

  press(key: string): void {
    this.#tmux("send-keys", key);
  }

  /** Looks until it is shown. */
  async shows(what: RegExp | string): Promise<string> {
    return this.#until(`show ${what}`, (screen) =>
      typeof what === "string" ? screen.includes(what) : what.test(screen),
    );
  }

  /** Looks until it is no longer shown. */
  async hides(what: string): Promise<string> {
    return this.#until(`hide ${what}`, (screen) => !screen.includes(what));
  }

  /** Looks until the program has ended; tells its exit status. */
  async ended(): Promise<number> {
    await this.#until("end", () => this.status !== undefined);
    return this.status ?? Number.NaN;
  }

  /** Ends the program, however far it is. */
  close(): void {
    this.#tmux("kill-server");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #until(what: string, holds: (screen: string) => boolean): Promise<string> {
    for (let look = 0; look < LOOKS; look += 1) {
      const { screen } = this;
      if (holds(screen)) return screen;
      await sleep(LOOK_MS);
    }
    const screen = this.screen.replace(/\n(?:[ \t]*\n)+/g, "\n\n");
    throw new Error(`The program did not ${what}. The screen:\n${screen}`);
  }

  #tmux(...args: readonly string[]): string {
    const socket = path.join(this.#folder, "socket");
    return execFileSync("tmux", ["-u", "-S", socket, ...args], {
      env: this.#env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
