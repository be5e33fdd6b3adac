import type { WorkerInput } from "writ/mcp";

export interface ReplInput {
  readonly kind: WorkerInput;
  /** What is to run, without the prefix. */
  readonly code: string;
}

const INTERRUPT = "\u0003";
const RESTART = "\u0004";

/** What the input of a call asks for. */
export function readInput(input: string, isPaging: boolean): ReplInput {
  const code = input.slice(1);
  if (input === "") return { kind: "empty", code };
  if (input[0] === INTERRUPT) return { kind: code === "" ? "interrupt" : "interruptAndCode", code };
  if (input[0] === RESTART) return { kind: code === "" ? "restart" : "restartAndCode", code };
  if (isPaging && input === ":q") return { kind: "pagerCommand", code: "" };
  return { kind: "code", code: input };
}
