/** The real Codex in a terminal, as the client of an app-server. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Terminal } from "../../../tools/terminal.ts";
import { CODEX, codexEnv } from "./codex.ts";
import type { Place } from "./drive-codex.ts";

const READY = "? for shortcuts";
const WORKS = "esc to interrupt";
const ASKS = "esc to cancel";
const REST_MS = 200;

export class CodexTui {
  readonly terminal: Terminal;

  /** Starts it; `args` come after the address. */
  constructor({ home, workspace }: Place, url: string, args: readonly string[] = []) {
    const codexHome = path.join(home, "codex");
    mkdirSync(codexHome, { recursive: true });
    writeFileSync(path.join(codexHome, "config.toml"), settingsFor(workspace));
    this.terminal = new Terminal({
      argv: [CODEX, "--remote", url, ...args],
      cwd: workspace,
      env: codexEnv(codexHome),
    });
  }

  /** Waits until a line can be typed. */
  async ready(): Promise<this> {
    await this.terminal.shows(READY);
    return this;
  }

  /** Types a line and sends it once it is there; the mark of a user's own command is shown apart. */
  async send(line: string): Promise<void> {
    this.terminal.type(line);
    await this.terminal.shows(line.replace(/^!/, ""));
    this.terminal.press("Enter");
  }

  /** Sends a line, and waits for what its turn shows and for the end of the turn. */
  async say(line: string, shown: RegExp | string): Promise<string> {
    await this.send(line);
    return this.rests(shown);
  }

  /** Waits for what a turn shows, and for its end: while an answer is being shown it does not say that it works. */
  async rests(shown: RegExp | string): Promise<string> {
    await this.terminal.shows(shown);
    await this.terminal.hides(WORKS);
    await sleep(REST_MS);
    return this.terminal.hides(WORKS);
  }

  /**
   * Answers what is asked with a key, as a person does: once more where the question is still there
   * long after. In one of many runs a key pressed as the question appeared did nothing.
   */
  async answer(key: string): Promise<void> {
    await this.terminal.shows(ASKS);
    this.terminal.press(key);
    for (let look = 0; look < 100; look += 1) {
      await sleep(100);
      if (!this.terminal.screen.includes(ASKS)) return;
    }
    this.terminal.press(key);
    await this.terminal.hides(ASKS);
  }

  /** Chooses one of the permissions that are offered, by its name. */
  async choosePermissions(name: string): Promise<void> {
    await this.send("/permissions");
    const offer = new RegExp(`(\\d)\\. ${name}`);
    const [, key = ""] = offer.exec(await this.terminal.shows(offer)) ?? [];
    this.terminal.press(key);
    await this.terminal.shows(`Permission selection requested: ${name}`);
  }

  /** Leaves by the door. */
  async quit(): Promise<number> {
    await this.send("/quit");
    return this.terminal.ended();
  }

  /** Ends it, whatever it does. */
  close(): void {
    this.terminal.close();
  }
}

function settingsFor(workspace: string): string {
  return `check_for_update_on_startup = false
disable_paste_burst = true
[projects."${workspace}"]
trust_level = "trusted"
`;
}
