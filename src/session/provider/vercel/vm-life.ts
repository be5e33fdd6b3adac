import { setTimeout as pause } from "node:timers/promises";
import { type Attempt, attemptError, type Told } from "../attempt.ts";
import { STOPPED, toVmError } from "./to-vm-error.ts";
import type { Vm, VmLink } from "./vm-link.ts";

type Status = Vm["session"]["status"];

const PAUSE_MS = 500;
const MOST_PAUSES = 240;

/** Whether one VM lives, as the service says, and its end. */
export class VmLife {
  readonly #vm: Vm;
  readonly #link: VmLink;

  constructor(vm: Vm, link: VmLink) {
    this.#vm = vm;
    this.#link = link;
  }

  /** Settles where it lives; throws what is against it. */
  async probe(attempt: Attempt, signal?: AbortSignal): Promise<void> {
    const told = overOf(await this.#status(signal));
    if (told !== undefined) throw attemptError(told, attempt);
  }

  async isThere(): Promise<boolean> {
    return this.#status().then(
      (status) => overOf(status) === undefined,
      () => false,
    );
  }

  /** Ends it; settles when it is over, also where it was. */
  async end(attempt: Attempt): Promise<void> {
    try {
      const { session } = await this.#vm.session.stop();
      await this.#untilOver(session.status);
    } catch (cause) {
      const error = toVmError(cause, attempt);
      if (error.code !== "stopped" && error.code !== "missing") throw error;
    }
  }

  async #untilOver(first: Status): Promise<void> {
    let status = first;
    for (let left = MOST_PAUSES; !isOver(status); left -= 1) {
      if (left === 0) throw new Error("it takes too long");
      await pause(PAUSE_MS);
      status = await this.#status();
    }
  }

  /** A VM that was started again is another one. */
  async #status(signal?: AbortSignal): Promise<Status> {
    const { session } = await this.#link.find(this.#vm.name, signal);
    return session.sessionId === this.#vm.session.sessionId ? session.status : "stopped";
  }
}

/** Whether nothing can run in a VM of that status any more. */
export function isOver(status: Status): boolean {
  return status === "stopped" || status === "failed" || status === "aborted";
}

/** What a status says against it; nothing where it lives. */
function overOf(status: Status): Told | undefined {
  if (status === "running" || status === "pending") return undefined;
  if (status === "stopping") return ["stopping", "the VM is being ended, expected one that lives"];
  if (status === "snapshotting") {
    return ["snapshotting", "the VM is being saved, expected it to be free"];
  }
  return STOPPED;
}
