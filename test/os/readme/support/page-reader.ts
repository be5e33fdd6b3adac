/**
 * Somebody who does what a page says: one shell from top to bottom, files that are
 * saved where the shell is, and a second machine.
 *
 * The page calls the home `/home/you`, the checkout `~/writ`, and a port 4500.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { ROOT, readText } from "../../../contracts/support/repository.ts";
import { type Place, placeFor, type SandboxUser } from "../../support/sandbox-user.ts";

type Started = ChildProcessByStdio<Writable, Readable, null>;

const HOME = "/home/you";
const PORT = ":4500";
const END = "\0";

export class PageReader {
  readonly place: Place;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #port: number;
  readonly #shell: Started;
  #shown = "";

  static async open(user: SandboxUser): Promise<PageReader> {
    return new PageReader(user, await freePort());
  }

  private constructor(user: SandboxUser, port: number) {
    this.place = placeFor(user);
    this.home = this.place.env.HOME ?? "";
    this.#port = port;
    this.env = { HOME: this.home, PATH: `${this.programs}:/usr/bin:/bin` };
    for (const part of ["examples", ...packages()]) completeCheckout(this.place.installed, part);
    symlinkSync(this.place.installed, path.join(this.home, "writ"));
    // Codex was started once, and a project has writ among its packages.
    mkdirSync(path.join(this.home, ".codex"));
    mkdirSync(path.join(this.home, "node_modules"));
    symlinkSync(this.place.installed, path.join(this.home, "node_modules/writ"));
    mkdirSync(this.programs);
    this.place.give();
    this.#shell = this.start(["/bin/bash"], this.place.installed);
    this.#shell.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
    });
  }

  /** Where the test puts programs that the page takes for installed. */
  get programs(): string {
    return path.join(this.place.outside, "bin");
  }

  /** With writ and its Node in it. */
  get installedPath(): string {
    const { installed } = this.place;
    return `${installed}/bin:${installed}/node_modules/.bin:${this.env.PATH}`;
  }

  /** A program of this user. */
  argv(program: readonly string[]): string[] {
    return [...this.place.argv([]).slice(0, -1), ...program];
  }

  /** Types a line here; tells all that is shown until it is done. */
  async type(line: string): Promise<string> {
    this.#shown = "";
    this.#shell.stdin.write(`{ ${this.asHere(line)}\n} 2>&1 </dev/null; printf '\\0'\n`);
    while (!this.#shown.endsWith(END)) await nextOf(this.#shell);
    return this.#asOnPage(this.#shown.slice(0, -END.length));
  }

  /** Types a line there; tells the first that is shown. */
  async typeThere(line: string): Promise<string> {
    const script = `export PATH="${this.installedPath}"; exec ${this.asHere(line)}`;
    return this.#asOnPage(await nextOf(this.start(["/bin/bash", "-c", script], this.home)));
  }

  /** Saves a file of the project. */
  save(name: string, text: string): void {
    writeFileSync(path.join(this.home, "hello", name), this.asHere(text));
    this.place.give();
  }

  /** Ends with the test. */
  start(program: readonly string[], cwd: string): Started {
    const [file = "", ...args] = this.argv(program);
    const child = spawn(file, args, { cwd, env: this.env, stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "exit");
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
    return child;
  }

  /** What the page says, with the names that things have here. */
  asHere(text: string): string {
    return text.replaceAll(PORT, `:${this.#port}`).replaceAll(HOME, this.home);
  }

  #asOnPage(text: string): string {
    return text
      .replaceAll(this.place.installed, `${HOME}/writ`)
      .replaceAll(this.home, HOME)
      .replaceAll(`:${this.#port}`, PORT);
  }
}

/** All that a checkout has for programs that use the library: more than the program itself needs. */
function packages(): string[] {
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    readText("package-lock.json"),
  );
  const isNeeded = (name: string) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name);
  return Object.keys(lock.packages).filter((name) => isNeeded(name) && !lock.packages[name]?.dev);
}

function completeCheckout(installed: string, part: string): void {
  const [from, to] = [path.join(ROOT, part), path.join(installed, part)];
  if (existsSync(to) || !existsSync(from)) return;
  cpSync(from, to, { recursive: true, dereference: true });
  // Whoever cloned may have done so for themselves alone.
  spawnSync("chmod", ["-R", "a+rX", to]);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function nextOf(child: Started): Promise<string> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, "close", { signal }).then(([status]) => {
    throw new Error(`The program ended with ${status} and showed no more`);
  });
  try {
    const [chunk] = await Promise.race([once(child.stdout, "data", { signal }), ended]);
    return String(chunk);
  } finally {
    heard.abort();
  }
}
