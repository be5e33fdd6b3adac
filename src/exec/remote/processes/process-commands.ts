/** What can be asked of a process on another machine; each may be asked again after a drop. */
import type { z } from "zod";
import type { Method } from "../../../rpc/index.ts";
import type { SignalReach, TerminalSize } from "../../../sandbox/index.ts";
import { ExecError } from "../../exec-error.ts";
import { processMethods } from "../../protocol/process-methods.ts";
import type { SessionLink } from "../link/session-link.ts";
import { toExecError } from "../to-exec-error.ts";

export class ProcessCommands {
  readonly #processId: string;
  readonly #link: SessionLink;

  constructor(processId: string, link: SessionLink) {
    this.#processId = processId;
    this.#link = link;
  }

  async resize({ columns, rows }: TerminalSize): Promise<void> {
    const processId = this.#processId;
    if (this.#link.session.trust.kind !== "writ") {
      throw new ExecError(
        "invalidRequest",
        `Cannot resize the terminal of "${processId}": this server has no words for it, expected the 80 by 24 that it gives`,
      );
    }
    await this.#ask(processMethods.resize, { processId, columns, rows });
  }

  async closeInput(): Promise<void> {
    const processId = this.#processId;
    if (this.#link.session.trust.kind !== "writ") {
      throw new ExecError(
        "invalidRequest",
        `Cannot end the input of "${processId}": this server has no words for it, expected a command that does not wait for the end`,
      );
    }
    await this.#ask(processMethods.closeInput, { processId });
  }

  async interrupt(reach: SignalReach): Promise<void> {
    const processId = this.#processId;
    if (reach === "command" && this.#link.session.trust.kind !== "writ") {
      throw new ExecError(
        "invalidRequest",
        `Cannot interrupt "${processId}" alone: this server has no words for it, expected an interrupt of its group`,
      );
    }
    // The group needs no word of ours: it is what the common wire means.
    const ours = reach === "command" ? { writ: { reach } } : {};
    await this.#ask(processMethods.signal, { processId, signal: "interrupt", ...ours });
  }

  async terminate(): Promise<boolean> {
    const processId = this.#processId;
    const { running } = await this.#ask(processMethods.terminate, { processId });
    return running;
  }

  /** Whether a process that has exited was probably denied something; false where nobody knows. */
  async wasDenied(seq: number): Promise<boolean> {
    const params = { processId: this.#processId, afterSeq: seq, maxBytes: 0, waitMs: 0 };
    const answer = await this.#ask(processMethods.read, params).catch(() => undefined);
    return answer?.sandboxDenied ?? false;
  }

  async #ask<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
  ): Promise<z.output<R>> {
    try {
      return await this.#link.call(method, () => params);
    } catch (fault) {
      throw toExecError(fault);
    }
  }
}
