/** A line REPL with its worker, under one policy. */
import type { LocalMachine } from "writ/exec";
import { SandboxedWorker, type WorkerPolicy } from "writ/mcp";
import { LineRepl, type ReplCall, type ReplReply } from "./line-repl.ts";
import { lineWorker } from "./line-worker.ts";
import { perlsWith } from "./perls-with.ts";

export interface ReplSettings {
  /** On the command line of the worker. */
  readonly word: string;
  readonly policy: WorkerPolicy;
  readonly longOutput: "pager" | "file";
  readonly bundles: string;
}

export interface OpenRepl {
  /** How many processes were started. */
  starts(): number;
  serve(call: ReplCall & { readonly dies?: boolean }): Promise<ReplReply>;
  close(): Promise<void>;
}

const GRACE_MS = 150;

/** Opens one on a machine. */
export function openRepl(machine: LocalMachine, settings: ReplSettings): OpenRepl {
  const { word, policy, longOutput, bundles } = settings;
  let dies = false;
  const checked = async () => {
    if (!dies) return;
    dies = false;
    for (const pid of perlsWith(word)) process.kill(pid, "SIGKILL");
    await repl.session?.over();
  };
  const repl = new LineRepl({ longOutput, bundles, checked });
  const worker = new SandboxedWorker({
    machine,
    command: lineWorker(word),
    policy,
    network: "asSent",
    attach: () => repl.attach(),
    graceMs: GRACE_MS,
  });
  return {
    starts: () => repl.starts,
    serve: (call) => {
      dies = call.dies ?? false;
      return repl.serve(worker, call);
    },
    close: () => worker.close(),
  };
}
