import type { RunningProcess } from "../../exec/index.ts";
import type { LiveWork } from "../lifecycle/live-work.ts";
import { replacementNotice } from "../lifecycle/replacement-notice.ts";
import type { SandboxCalls } from "../lifecycle/sandbox-calls.ts";
import type { SandboxHolder } from "../lifecycle/sandbox-holder.ts";
import type { ProcessRequest, ProvidedProcess } from "../provider/provided-process.ts";
import { refuseAborted } from "../refusal.ts";

/** A process that is followed and typed into by whoever started it. */
export interface ProcessCall extends Omit<ProcessRequest, "intent"> {
  readonly by: string;
  readonly signal: AbortSignal;
}

export interface StartedProcess {
  readonly process: RunningProcess;
  readonly generation: number;
  /** What the model has to know besides: that it has another sandbox than before. */
  readonly notice: string | null;
}

interface Parts {
  readonly calls: SandboxCalls;
  readonly holder: SandboxHolder;
  readonly work: LiveWork;
}

/** Starts a process in the thread's sandbox; it is work until it ends. */
export async function startProcess(
  { by, signal, ...request }: ProcessCall,
  { calls, holder, work }: Parts,
): Promise<StartedProcess> {
  return calls.call({ by, signal }, async ({ sandbox, intent, generation }) => {
    const ids = { ...request.ids, session: sandbox.id };
    const process = await sandbox.startProcess({ ...request, ids, intent });
    void process.ended.then(work.begin("background"));
    if (signal.aborted) await endUnread(process);
    refuseAborted(signal, `run "${by}"`);
    return { process, generation, notice: replacementNotice(holder) };
  });
}

/** Nobody follows it: what it says must not hold it up. */
async function endUnread(process: ProvidedProcess): Promise<void> {
  await process.terminate().catch(() => {});
  for await (const _ of process.events);
}
