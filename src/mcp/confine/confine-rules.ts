/** What goes into the decisions about a confined server, and what comes out of them. */
import type { SandboxIntent } from "../../exec/index.ts";
import type { SandboxState } from "../../policy/index.ts";
import type { BoundState } from "../state/bind-state.ts";
import type { StateRefusal } from "../state/read-sandbox-state.ts";

/** What is to be done, in this order. */
export type Action =
  | { readonly kind: "toClient" | "toServer"; readonly text: string }
  /** Garbage that the server printed where messages belong. */
  | { readonly kind: "noise"; readonly text: string }
  | {
      readonly kind: "start";
      readonly generation: number;
      readonly intent: SandboxIntent;
      /** Whose request it is that starts it, for the receipt. */
      readonly ids: Readonly<Record<string, string>>;
    }
  | { readonly kind: "end"; readonly generation: number };

export function toClient(text: string): Action {
  return { kind: "toClient", text };
}

export function toServer(text: string): Action {
  return { kind: "toServer", text };
}

/** What a process is started under. */
export type StartAs = Pick<BoundState, "kind" | "intent" | "key">;

export interface ConfineRules {
  /** Nothing: whatever state comes with a call is not read. */
  readonly bind: ((state: SandboxState) => StartAs | StateRefusal) | undefined;
  /** What serves where no call says under what. */
  rest(): StartAs | StateRefusal;
}
