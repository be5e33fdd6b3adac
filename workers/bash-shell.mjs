/**
 * A bash that keeps its state from cell to cell.
 *
 * An interactive bash reads its commands from a socket and writes its prompts to
 * another one; both are ours. A cell is one `eval` whose standard streams are
 * pipes of this process, opened by their path in `/proc` for that one command:
 * the shell holds no descriptor of ours that a cell could close, prompts and
 * traces of our own commands never meet the output of a cell, and `exec >file`
 * ends with the cell. `PS1` carries a number that grows with each command and
 * the status of the last; where a cell changed `PS1`, it is set again.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { awaitsCommand, foregroundGroups, readsPipe } from "./blocked-readers.mjs";
import { drain } from "./channel.mjs";

const FIRST_LOOK_MS = 4;
const LAST_LOOK_MS = 200;
/** A shell that was woken may look asleep until it is let run; one that stays so does not answer. */
const SILENT_MS = 1000;
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Makes three pipes, lets this process open them, and becomes the shell. */
const LAUNCH = `exec 5<> <(:) 6<> <(:) 7<> <(:)
printf . >&2; read -r _
exec 1>/dev/fd/6 5>&- 6>&- 7>&-
exec -a bash "$BASH" --noprofile --norc --noediting -i`;

/** Ends the shell's group when this process is gone, however it went. */
const WATCH = 'read -r _; kill -9 -"$1"';

/**
 * `listener` hears `output(stream, bytes)`, `finished(status)` when the shell
 * waits for a command, `waiting()` when a cell waits for input, and
 * `ended(code, signal, why)` once.
 */
export class BashShell {
  #listener;
  #child;
  #token = randomBytes(12).toString("hex");
  #prompts = "";
  #count = 0;
  #pipes;
  #stdin;
  #busy = true;
  #repairedAt;
  #heard = 0;
  #timer;

  constructor(program, closing, listener) {
    this.#listener = listener;
    const close = closing.map((fd) => `exec ${fd}>&-\n`).join("");
    this.#child = spawn(program, ["--noprofile", "--norc", "-c", close + LAUNCH], {
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.once("data", () => this.#opened());
    this.#child.once("error", (error) => this.#end(null, null, error.message));
    this.#child.once("exit", (code, signal) => this.#end(code, signal));
  }

  /** Runs a cell. */
  run(cell) {
    const at = (fd) => `/proc/${process.pid}/fd/${fd}`;
    const { input, output, error } = this.#pipes;
    const streams = `0<${at(input)} 1>>${at(output)} 2>>${at(error)}`;
    this.#start();
    this.#command(`'builtin' 'eval' -- ${quoted(cell)} ${streams}`);
  }

  /** Hands a cell that waits the text it waits for; `last` is the end of its input. */
  feed(text, last) {
    this.#start();
    if (last) this.#stdin.end(text);
    else this.#stdin.write(text);
  }

  interrupt() {
    this.#start();
    for (const group of foregroundGroups(this.#child.pid)) signal(-group, "SIGINT");
  }

  /** Asks the shell to end: it runs its EXIT trap. */
  hangUp() {
    this.#child.stdin.end();
    if (this.#busy) signal(-this.#child.pid, "SIGHUP");
  }

  kill() {
    if (this.#child.pid) signal(-this.#child.pid, "SIGKILL");
  }

  #start() {
    this.#busy = true;
    this.#repairedAt = undefined;
    this.#watch(FIRST_LOOK_MS);
  }

  #opened() {
    try {
      this.#pipes = openPipes(this.#child.pid);
    } catch (error) {
      this.#end(null, null, error.message);
      return;
    }
    this.#listen("stdout", this.#pipes.output);
    this.#listen("stderr", this.#pipes.error);
    this.#stdin = writerOf(this.#pipes.input);
    const watcher = spawn("/bin/sh", ["-c", WATCH, "sh", String(this.#child.pid)], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    watcher.unref();
    this.#child.stderr.on("data", (chunk) => this.#prompted(chunk));
    this.#command(`\n${this.#prompt()} PS2=; set +H +o history; unset HISTFILE MAILCHECK`);
  }

  #listen(stream, fd) {
    new Socket({ fd, readable: true, writable: false })
      .on("data", (bytes) => this.#output(stream, bytes))
      .on("error", () => {});
  }

  #output(stream, bytes) {
    this.#heard += bytes.length;
    this.#listener.output(stream, bytes);
  }

  #flush() {
    drain(this.#pipes.output, (bytes) => this.#output("stdout", bytes));
    drain(this.#pipes.error, (bytes) => this.#output("stderr", bytes));
  }

  #command(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  #prompt() {
    return `PS1='${this.#token}:\\#:$?;'`;
  }

  #prompted(chunk) {
    this.#prompts = (this.#prompts + chunk.toString("latin1")).slice(-65_536);
    const seen = [...this.#prompts.matchAll(new RegExp(`${this.#token}:(\\d+):(\\d+);`, "g"))].at(
      -1,
    );
    if (!seen) return;
    this.#prompts = "";
    const count = Number(seen[1]);
    // A prompt that is repeated, after an interrupt that came late, ends no cell.
    if (count <= this.#count) return;
    this.#count = count;
    this.#finish(Number(seen[2]));
  }

  #finish(status) {
    clearTimeout(this.#timer);
    this.#busy = false;
    this.#flush();
    this.#discardInput();
    this.#listener.finished(status);
  }

  /** What a cell did not read is not the input of the next. */
  #discardInput() {
    if (this.#stdin.writableLength > 0 || this.#stdin.writableEnded) {
      this.#stdin.destroy();
      this.#stdin = writerOf(this.#pipes.input);
    }
    drain(this.#pipes.input, () => {});
  }

  #watch(delay, before) {
    clearTimeout(this.#timer);
    const heard = this.#heard;
    this.#timer = setTimeout(() => {
      const now = this.#look();
      // Seen twice with no output between: it is so, and nothing is on its way.
      if (now && now === before && heard === this.#heard) this.#found(now);
      else this.#watch(now ? FIRST_LOOK_MS : Math.min(delay * 2, LAST_LOOK_MS), now);
    }, delay);
  }

  #look() {
    const { pid, stdin } = this.#child;
    if (this.#stdin.writableLength === 0 && readsPipe(pid, this.#pipes.inode)) return "input";
    return stdin.writableLength === 0 && awaitsCommand(pid) ? "command" : undefined;
  }

  #found(what) {
    if (what === "input") {
      this.#flush();
      this.#listener.waiting();
    } else if (this.#repairedAt !== undefined) {
      const isSilent = performance.now() - this.#repairedAt > SILENT_MS;
      if (isSilent) this.#end(null, null, "the shell no longer reports the end of a cell");
      else this.#watch(FIRST_LOOK_MS);
    } else {
      this.#repairedAt = performance.now();
      this.#command(
        `'builtin' 'eval' "${escaped(this.#prompt())}; shopt -s promptvars; (exit $?)"`,
      );
      this.#watch(FIRST_LOOK_MS);
    }
  }

  #end(code, name, why) {
    if (!this.#listener) return;
    const listener = this.#listener;
    if (this.#pipes) this.#flush();
    clearTimeout(this.#timer);
    this.#listener = undefined;
    listener.ended(code, name, why);
  }
}

function openPipes(pid) {
  const open = (fd, flags) => openSync(`/proc/${pid}/fd/${fd}`, flags);
  // Held for writing as well: the streams do not end with the last writer.
  open(6, O_WRONLY);
  open(7, O_WRONLY);
  const [input, output, error] = [5, 6, 7].map((fd) => open(fd, O_RDONLY | O_NONBLOCK));
  return { input, output, error, inode: fstatSync(input).ino };
}

function writerOf(fd) {
  const writer = new Socket({
    fd: openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK),
    readable: false,
    writable: true,
  });
  return writer.on("error", () => {});
}

function quoted(text) {
  return `'${text.replaceAll("\0", "").replaceAll("'", "'\\''")}'`;
}

function escaped(text) {
  return text.replaceAll(/[\\"$`]/g, "\\$&");
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
