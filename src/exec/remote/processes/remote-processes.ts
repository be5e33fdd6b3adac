/** The processes of one session, by the ids they were started under. */
import type { z } from "zod";
import { createRouter, type Router, RpcError } from "../../../rpc/index.ts";
import { ExecError } from "../../exec-error.ts";
import { processMethods, processNotifications } from "../../protocol/process-methods.ts";
import { decodeBase64 } from "../../server/decode-base64.ts";
import type { StartRequest } from "../../start-request.ts";
import { confirmSandbox, type StartAnswer } from "../confirm-sandbox.ts";
import { FlowGate } from "../link/flow-gate.ts";
import type { SessionLink } from "../link/session-link.ts";
import { toExecError } from "../to-exec-error.ts";
import { type StartParams, writeStart } from "../write-start.ts";
import { RemoteProcess } from "./remote-process.ts";

/** Puts a signature on params that are about to be sent. */
export type Sign = <P extends object>(method: string, params: P) => P;

type Output = z.output<typeof processNotifications.output.params>;

export class RemoteProcesses {
  /** Held up by processes whose output is not read. */
  readonly gate = new FlowGate();
  readonly #processes = new Map<string, RemoteProcess>();

  /** Hears the events of every process. Those of strangers are passed over. */
  router(): Router<void> {
    return createRouter<typeof processNotifications, void>({
      methods: processNotifications,
      handlers: {
        output: (params) => this.#hearOutput(params),
        exited: ({ processId, seq, exitCode, sandboxDenied }) => {
          const exit = { exitCode, sandboxDenied };
          this.#processes.get(processId)?.hear({ kind: "exited", seq, exit });
        },
        closed: ({ processId, seq, writ }) => {
          const { receipt, unkept } = writ ?? {};
          this.#processes.get(processId)?.hear({ kind: "closed", seq, receipt, unkept });
        },
      },
    });
  }

  /** Starts a process; throws {@link ExecError} unless it runs as it was asked to. */
  async start(request: StartRequest, way: Way): Promise<RemoteProcess> {
    const { link, givenUp } = way;
    const { trust } = link.session;
    const params = writeStart(request, trust);
    givenUp?.throwIfAborted();
    const process = this.#register(request.processId, link);
    const end = () => void process.terminate().catch(() => {});
    givenUp?.addEventListener("abort", end);
    try {
      const answer = await ask(process, params, way);
      process.begin(confirmSandbox(request, answer, trust));
      return process;
    } catch (fault) {
      const error = toExecError(fault);
      if (error instanceof ExecError) process.abandon(error);
      // A refusal leaves nothing running; anything else may.
      if (!(fault instanceof RpcError)) end();
      throw error;
    } finally {
      givenUp?.removeEventListener("abort", end);
    }
  }

  resumed(): void {
    for (const process of [...this.#processes.values()]) process.resumed();
  }

  lost(error: ExecError): void {
    for (const process of [...this.#processes.values()]) process.abandon(error);
  }

  /** Ends all of them, as far as the server can be told. */
  async terminate(): Promise<void> {
    const all = [...this.#processes.values()];
    await Promise.all(all.map((process) => process.terminate().catch(() => {})));
  }

  #register(processId: string, link: SessionLink): RemoteProcess {
    if (this.#processes.has(processId)) {
      throw new ExecError("invalidRequest", `process ${processId} already exists`, {
        field: "processId",
      });
    }
    const over = () => this.#processes.delete(processId);
    const process = new RemoteProcess({ processId, link, gate: this.gate, over });
    this.#processes.set(processId, process);
    return process;
  }

  #hearOutput({ processId, seq, stream, chunk: text }: Output): void {
    const process = this.#processes.get(processId);
    try {
      const chunk = decodeBase64(text, (why) => new RangeError(why));
      process?.hear({ kind: "output", seq, stream, chunk });
    } catch (cause) {
      process?.lose("its output is not base64", cause);
    }
  }
}

export interface Way {
  readonly link: SessionLink;
  readonly sign: Sign;
  /** Aborted when nobody wants what is being started: the server is told to end it, started or not. */
  readonly givenUp: AbortSignal | undefined;
}

/** A start is never sent twice. Where its answer is lost, the server is asked what became of it. */
async function ask(
  process: RemoteProcess,
  params: StartParams,
  { link, sign }: Way,
): Promise<StartAnswer> {
  const { start } = processMethods;
  const once = await link.callOnce(start, () => sign(start.name, params));
  if (once.kind === "answered") {
    return { kind: "answered", sandboxType: once.value.sandboxType };
  }
  await process.recover();
  if (process.failure !== undefined) throw process.failure;
  return { kind: "unheard" };
}
