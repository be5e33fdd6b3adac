/**
 * Speaks the worker protocol (mcp-repl-worker, version 6) with a worker that runs without a sandbox.
 *
 * The worker is started as the server starts it: the protocol on its standard
 * input and output, moved to descriptors 3 and 4 before the worker runs. A
 * message that version 6 does not know fails the test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { type WorkerMessage, workerMessage } from "./worker-message.ts";

/** What one batch brought, until the worker wanted input again or ended. */
export interface BatchReply {
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in the order of arrival. */
  readonly text: string;
  readonly images: readonly Extract<WorkerMessage, { type: "output_image" }>[];
  readonly inputLines: readonly Extract<WorkerMessage, { type: "input_line" }>[];
  /** `lost`: the channel ended without a `session_end`. */
  readonly end: Extract<WorkerMessage, { type: "ready" | "input_wait" | "session_end" }> | Lost;
}

export interface WorkerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** When the worker is ended; without it, with the test. */
  readonly atEnd?: (end: () => void) => void;
}

interface Lost {
  readonly type: "lost";
}
type Heard = WorkerMessage | Lost | { readonly type: "broken"; readonly error: Error };

const FRAME = /^\{"type":"output_bytes","stream":"(stdout|stderr)","length":(\d+)\}$/;
const WRAPPER = 'exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@"';

export class WorkerDriver {
  /** What the worker said before it first took input. */
  greeting: BatchReply = replyOf([], { type: "lost" });
  /** Bytes that reached the wrapper's own stdout and stderr. */
  raw = "";
  /** How the process ended. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #heard: Heard[] = [];
  /** How many texts came as bytes. */
  frames = 0;
  #last = "";
  #wake = () => {};

  private constructor(argv: readonly string[], options: WorkerOptions) {
    this.#child = spawn("/bin/sh", ["-c", WRAPPER, "sh", ...argv], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      cwd: options.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        LANG: "C.UTF-8",
        MCP_REPL_IPC_READ_FD: "3",
        MCP_REPL_IPC_WRITE_FD: "4",
        ...options.env,
      },
    });
    this.exited = once(this.#child, "exit").then(([code, signal]) => ({ code, signal }));
    this.#child.stdin?.on("error", () => {});
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.raw += chunk.toString();
    });
    this.#listen();
    const atEnd = options.atEnd ?? onTestFinished;
    atEnd(() => this.kill());
  }

  /** Starts a worker and waits until it takes input. */
  static async start(argv: readonly string[], options: WorkerOptions = {}): Promise<WorkerDriver> {
    const worker = new WorkerDriver(argv, options);
    const first = await worker.message();
    if (first.type !== "worker_ready") {
      throw new Error(`Cannot start "${argv.join(" ")}": got ${first.type}\n${worker.raw}`);
    }
    worker.greeting = await worker.reply();
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a batch and waits for what it brings. */
  run(input: string): Promise<BatchReply> {
    this.send({ type: "input_batch", input });
    return this.reply();
  }

  /** Sends messages, in one write. */
  send(...messages: readonly Readonly<Record<string, unknown>>[]): void {
    this.#child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** Announces an interrupt and delivers it to the worker's process group. */
  interrupt(): void {
    this.send({ type: "interrupt" });
    process.kill(-this.pid, "SIGINT");
  }

  closeInput(): void {
    this.#child.stdin?.end();
  }

  /** The next batch's reply, without sending anything. */
  async reply(): Promise<BatchReply> {
    const seen: WorkerMessage[] = [];
    for (;;) {
      const message = await this.message();
      switch (message.type) {
        case "ready":
        case "input_wait":
        case "session_end":
        case "lost":
          return replyOf(seen, message);
        default:
          seen.push(message);
      }
    }
  }

  /** Waits until output contains `text`; what it looked at stays for the next reply. */
  async sees(text: string): Promise<void> {
    for (;;) {
      const messages = this.#heard.filter((heard) => heard.type === "output_text");
      if (textOf(messages).includes(text)) return;
      if (this.#heard.some(({ type }) => type === "lost" || type === "broken")) {
        throw new Error(`Cannot see "${text}": the worker ended\n${this.raw}`);
      }
      await this.#change();
    }
  }

  /** The next message, in order of arrival. */
  async message(): Promise<WorkerMessage | Lost> {
    for (;;) {
      const heard = this.#heard[0];
      if (heard?.type === "broken") throw heard.error;
      if (heard?.type === "lost") return heard;
      if (heard) {
        this.#heard.shift();
        return heard;
      }
      await this.#change();
    }
  }

  kill(): void {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // Nothing is left to end.
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #listen(): void {
    const { stdout } = this.#child;
    if (!stdout) throw new Error("Cannot listen: no pipe, expected one");
    // A character a byte: what comes as bytes is counted in them.
    const lines = createInterface({ input: stdout.setEncoding("latin1") });
    const push = (heard: Heard) => {
      this.#heard.push(heard);
      this.#wake();
    };
    lines.on("line", (bytes) => {
      const line = this.#withoutFrame(bytes, push);
      try {
        if (FRAME.test(line)) this.frames += 1;
        else push(workerMessage(line));
      } catch (error) {
        push({ type: "broken", error: new Error(`Cannot read ${line}`, { cause: error }) });
      }
    });
    lines.on("close", () => push({ type: "lost" }));
  }

  /** Text that was sent as bytes has no line feed, so the next message is on the same line. */
  #withoutFrame(bytes: string, push: (heard: Heard) => void): string {
    const [, stream, length = "0"] = FRAME.exec(this.#last) ?? [];
    const text = Buffer.from(bytes.slice(0, Number(length)).replaceAll("\u001f", "\n"), "latin1");
    if (stream === "stdout" || stream === "stderr") {
      push({ type: "output_text", stream, data_b64: text.toString("base64") });
    }
    this.#last = Buffer.from(bytes.slice(Number(length)), "latin1").toString();
    return this.#last;
  }
}

function replyOf(seen: readonly WorkerMessage[], end: BatchReply["end"]): BatchReply {
  const output = seen.filter((message) => message.type === "output_text");
  return {
    stdout: textOf(output.filter(({ stream }) => stream === "stdout")),
    stderr: textOf(output.filter(({ stream }) => stream === "stderr")),
    text: textOf(output),
    images: seen.filter((message) => message.type === "output_image"),
    inputLines: seen.filter((message) => message.type === "input_line"),
    end,
  };
}

function textOf(messages: readonly { readonly data_b64: string }[]): string {
  return Buffer.concat(messages.map((one) => Buffer.from(one.data_b64, "base64"))).toString();
}
