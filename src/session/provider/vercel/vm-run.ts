import type { Session } from "@vercel/sandbox";
import { OutputHandover } from "../output-handover.ts";
import type { CommandOutput } from "../provided-command.ts";
import type { CommandAnswers } from "./command-answers.ts";

export interface VmCommand {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** As root of the VM; only for what the provider does itself. */
  readonly asRoot?: boolean;
}

/** A command that runs in a VM. */
export interface VmRun {
  readonly id: string;
  readonly output: OutputHandover<CommandOutput>;
  /** Its exit status, after all output was taken. Rejects where the answer ends before it. */
  readonly exit: Promise<number>;
  /** Nothing is heard of it any more. It may go on. */
  cut(): void;
}

/** Begins a command, once. Settles when the service says that it runs; rejects with what came instead. */
export async function startInVm(
  session: Session,
  { argv: [cmd, ...args], cwd, env, asRoot = false }: VmCommand,
  answers: CommandAnswers,
): Promise<VmRun> {
  const cutter = new AbortController();
  const output = new OutputHandover<CommandOutput>();
  const begun = Promise.withResolvers<string>();
  answers.watch(cutter.signal, {
    begun: begun.resolve,
    printed: (piece) => output.give(piece),
  });
  const { signal } = cutter;
  const exit = session
    .runCommand({ cmd, args, cwd, env: { ...env }, sudo: asRoot, signal })
    .then(({ exitCode }) => exitCode);
  exit.then(() => begun.reject(new Error("it ended without a beginning")), begun.reject);
  const id = await begun.promise;
  return { id, output, exit, cut: () => cutter.abort() };
}
