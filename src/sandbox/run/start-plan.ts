/**
 * Starts a plan and keeps it in hand until its end: hold, watch, launch, check, open, wait, let go.
 *
 * The command runs only once its sandbox stands as planned. How it ended comes
 * from the back-end's status descriptor, never from text: without its word the
 * command did not run. Nothing that was made is left when `outcome` settles.
 */
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { AbsolutePath } from "../../policy/index.ts";
import type { LaunchPlan } from "../launch-plan.ts";
import { type HeldPlaceholders, holdPlaceholders } from "../placeholders/hold-placeholders.ts";
import { recordRun } from "../placeholders/live-runs.ts";
import { isRunning } from "../placeholders/process-identity.ts";
import { awaitBuilt } from "./await-built.ts";
import { type Launched, launch, type Standard } from "./launch.ts";
import { readStatus, type StatusReport } from "./status-report.ts";
import { identitiesOf, watchMountPoints } from "./watch-mount-points.ts";

export type RunOutcome =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: NodeJS.Signals }
  /** The sandbox could not be built, so the command never ran. */
  | { readonly kind: "notStarted"; readonly reason: string }
  /** Ended from outside: a limit, a caller, or because what protected the host was taken away. */
  | { readonly kind: "ended"; readonly reason: string };

export interface StartOptions {
  /** Where placeholders and living sandboxes are on record; out of reach of every command. */
  readonly records: AbsolutePath;
  readonly standard: Standard;
}

export interface RunningSandbox {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Sends a signal to the command itself; false when it is not there to get it. */
  signal(name: NodeJS.Signals): boolean;
  /** Ends the command and all it started. */
  end(reason: string): void;
  readonly outcome: Promise<RunOutcome>;
}

/** Starts the plan. Throws {@link SandboxError} when it cannot even be tried. */
export function startPlan(plan: LaunchPlan, { records, standard }: StartOptions): RunningSandbox {
  const stop = new AbortController();
  const held = holdPlaceholders(plan.placeholders, records);
  let watch: { close(): void } | undefined;
  try {
    // Watched before it starts: a watch that cannot be had must not find a sandbox already living.
    watch = watchMountPoints(identitiesOf(plan.watched), (point) =>
      stop.abort(`"${point}" was replaced on the host`),
    );
    const launched = launch(plan, standard);
    const run = new Run({ plan, records, held, launched, stop });
    const outcome = run.outcome().finally(() => {
      watch?.close();
      held.release();
    });
    return { ...streamsOf(launched.child), ...run.controls(), outcome };
  } catch (error) {
    watch?.close();
    held.release();
    throw error;
  }
}

function streamsOf({ stdin, stdout, stderr }: ChildProcess) {
  // A reader or writer that has left is the caller's to notice, not a reason to fall over.
  for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {});
  return { stdin, stdout, stderr };
}

interface RunParts {
  readonly plan: LaunchPlan;
  readonly records: AbsolutePath;
  readonly held: HeldPlaceholders;
  readonly launched: Launched;
  readonly stop: AbortController;
}

class Run {
  readonly #parts: RunParts;
  readonly #report: StatusReport | undefined;
  readonly #over = new AbortController();
  #first: number | undefined;
  #refusal: string | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { status, child } = parts.launched;
    this.#report = status === undefined ? undefined : readStatus(status);
    const kill = () => child.kill("SIGKILL");
    if (parts.stop.signal.aborted) kill();
    parts.stop.signal.addEventListener("abort", kill);
  }

  controls() {
    return {
      signal: (name: NodeJS.Signals) => this.#signal(name),
      end: (reason: string) => this.#parts.stop.abort(reason),
    };
  }

  async outcome(): Promise<RunOutcome> {
    const { launched, stop, plan } = this.#parts;
    const built = this.#build();
    const ended = await ending(launched.child);
    this.#over.abort();
    await built;
    await this.#gone();
    launched.gate?.close();
    if (stop.signal.aborted) return { kind: "ended", reason: String(stop.signal.reason) };
    if (this.#refusal !== undefined) return { kind: "notStarted", reason: this.#refusal };
    if (ended.kind !== "exited" || this.#report === undefined) return ended;
    const code = await this.#report.exitCode;
    if (code !== undefined) return { kind: "exited", code };
    return { kind: "notStarted", reason: `${plan.argv[0]} failed before the command started` };
  }

  /** Once it stands as planned the command may run; otherwise it is taken down again. */
  async #build(): Promise<void> {
    const { plan, records, held, launched } = this.#parts;
    this.#first = await this.#report?.pid;
    if (this.#first === undefined || launched.gate === undefined) return;
    try {
      recordRun(records, held.run, this.#first);
      this.#refusal = await awaitBuilt(plan, this.#first, this.#over.signal);
    } catch (error) {
      this.#refusal = error instanceof Error ? error.message : String(error);
    }
    if (this.#refusal === undefined) launched.gate.open();
    else launched.child.kill("SIGKILL");
  }

  /** The first process of the sandbox must be gone before what protects the host is taken away. */
  async #gone(): Promise<void> {
    const pid = this.#first;
    for (let attempt = 0; pid !== undefined && isRunning(pid) && attempt < 5000; attempt += 1) {
      killQuietly(pid, "SIGKILL");
      await sleep(1);
    }
  }

  /** The command is the first child of the sandbox's first process. */
  #signal(name: NodeJS.Signals): boolean {
    if (this.#report === undefined) return this.#parts.launched.child.kill(name);
    const [command] = this.#first === undefined ? [] : childrenOf(this.#first);
    return command !== undefined && killQuietly(command, name);
  }
}

function ending(child: ChildProcess): Promise<RunOutcome> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "notStarted", reason: error.message }));
    child.once("close", (code, signal) => {
      resolve(
        code === null ? { kind: "killed", signal: signal ?? "SIGKILL" } : { kind: "exited", code },
      );
    });
  });
}

function childrenOf(pid: number): number[] {
  try {
    const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function killQuietly(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
