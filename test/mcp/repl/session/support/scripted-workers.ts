/** Processes that speak the protocol of workers, and do what the input says. */
import type { StartRequest } from "../../../../../src/exec/index.ts";
import { ScriptedExecutor } from "../../../confine/support/scripted-executor.ts";
import type { ScriptedProcess } from "../../../process/support/scripted-process.ts";

const GREETING = {
  type: "worker_ready",
  protocol: { name: "mcp-repl-worker", version: 6 },
  worker: { name: "scripted", version: "1" },
  capabilities: { images: true },
};

/** One of them: what it was told, and the words it can say. */
export class ScriptedWorker {
  readonly process: ScriptedProcess;
  readonly inputs: string[] = [];
  /** What it printed nothing to yet: `hang` leaves it there. */
  #asks: ((line: string) => void) | undefined;
  #isBusy = false;
  /** Whether an interrupt stops what it does. */
  heedsInterrupts = true;
  /** What it does in place of hearing of one. */
  onInterrupt = (): void => this.interrupted();

  constructor(process: ScriptedProcess) {
    this.process = process;
    process.onLine = (line) => this.#told(JSON.parse(line));
  }

  get interrupts(): number {
    return this.process.written.filter((line) => line.includes('"interrupt"')).length;
  }

  say(message: object): void {
    this.process.say(`${JSON.stringify(message)}\n`);
  }

  greet(): void {
    this.say(GREETING);
    this.ready();
  }

  print(text: string, stream: "stdout" | "stderr" = "stdout"): void {
    const data = Buffer.from(text).toString("base64");
    this.say({ type: "output_text", stream, data_b64: data });
  }

  ready(): void {
    this.#isBusy = false;
    this.say({ type: "ready" });
  }

  ask(prompt: string, answer: (line: string) => void): void {
    this.#asks = answer;
    this.say({ type: "input_wait", prompt });
  }

  interrupted(): void {
    if (!this.heedsInterrupts || (!this.#isBusy && this.#asks === undefined)) return;
    this.#asks = undefined;
    this.print("KeyboardInterrupt\n", "stderr");
    this.ready();
  }

  end(message: string, status: number): void {
    this.say({ type: "session_end", reason: "runtime_exit", message });
    this.process.exit(status);
  }

  #told(message: { readonly type: string; readonly input?: string }): void {
    if (message.type === "input_batch") this.#batch(message.input ?? "");
    else if (message.type === "interrupt") this.onInterrupt();
    else if (message.type === "shutdown") this.process.exit(0);
  }

  #batch(input: string): void {
    this.inputs.push(input);
    const answer = this.#asks;
    this.#asks = undefined;
    this.#isBusy = true;
    if (answer === undefined) this.#run(input);
    else answer(input);
  }

  /** `hang`, `ask PROMPT`, `exit N` and `die N` are what they say; all else is printed. */
  #run(input: string): void {
    const [word = "", ...rest] = input.split(" ");
    const words = rest.join(" ");
    if (word === "hang") this.print(words);
    else if (word === "ask") this.#question(words);
    else if (word === "exit") this.end(`exit ${words}`, Number(words));
    else if (word === "die") this.process.exit(Number(words));
    else this.#answer(`ran ${input}\n`);
  }

  #question(prompt: string): void {
    this.ask(prompt, (line) => this.#answer(`got ${line}\n`));
  }

  #answer(text: string): void {
    this.print(text);
    this.ready();
  }
}

/** An executor whose processes are such workers. */
export class ScriptedWorkers extends ScriptedExecutor {
  readonly workers: ScriptedWorker[] = [];
  /** What a new one does first. */
  onStart = (worker: ScriptedWorker): void => worker.greet();

  override async start(request: StartRequest): Promise<ScriptedProcess> {
    const process = await super.start(request);
    const worker = new ScriptedWorker(process);
    this.workers.push(worker);
    this.onStart(worker);
    return process;
  }

  /** The one that was started last. */
  get last(): ScriptedWorker {
    const worker = this.workers.at(-1);
    if (worker === undefined) throw new Error("Cannot find a worker: none was started");
    return worker;
  }
}
