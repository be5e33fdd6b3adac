import type { Executor, InheritedVariables, SandboxIntent } from "../../exec/index.ts";
import { type PathUri, policyForMode, profileOfPolicy } from "../../policy/index.ts";
import { bindState, type StateBounds } from "../state/bind-state.ts";
import { ownState } from "../state/own-state.ts";
import type { CallState } from "../state/symbolic-state.ts";
import type { ConfineRules } from "./confine-rules.ts";

export interface ConfineOptions {
  readonly executor: Executor;
  /** What calls may ask for. */
  readonly bounds: StateBounds;
  /** The server and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: PathUri;
  readonly env: Readonly<Record<string, string>>;
  readonly envPolicy: InheritedVariables | null;
  readonly mode: ConfineMode;
  /** What the server prints for people. */
  stderr(chunk: Uint8Array): void;
  /** How long a server may take to end by itself once its input is closed. */
  readonly graceMs: number;
  /** How long it may take nothing of what waits for it, once its client has to wait; 30 s when absent. */
  readonly patienceMs?: number;
}

/** `inherit`: each call runs under the state it comes with. `explicit`: all of it under one intent. */
export type ConfineMode =
  | { readonly kind: "inherit" }
  | { readonly kind: "explicit"; readonly intent: SandboxIntent };

/** The rules that the options mean. */
export function rulesOf({ mode, bounds, cwd }: ConfineOptions): ConfineRules {
  if (mode.kind === "explicit") {
    const { intent } = mode;
    return { bind: undefined, rest: () => ({ kind: "bound", intent, key: "explicit" }) };
  }
  const bind = (state: CallState) => bindState(state, bounds);
  return { bind, rest: () => bind(receptionOf(cwd)) };
}

/** What a server is under until a call brings a state: enough to say what it can do. */
function receptionOf(cwd: PathUri): CallState {
  return ownState(profileOfPolicy(policyForMode("read-only")), cwd);
}
