import type { ApprovalAnswer, ApprovalQuestion } from "./approval.ts";
import type { ClientAnswer, ClientCall } from "./client/client-tool.ts";
import type { TurnEvent } from "./turn-event.ts";
import type { SaidInput } from "./turn-request.ts";

/** How a turn speaks and asks. */
export interface TurnPort {
  /** Fires when the turn is to stop: commands end, and so does the question that is open. */
  readonly signal: AbortSignal;
  /** Has been kept when it returns. Throws where it cannot be kept, and then the turn ends. */
  emit(event: TurnEvent): void;
  approve(question: ApprovalQuestion): Promise<ApprovalAnswer>;
  /** Has a client run one of its own tools, once. Rejects where none answers. */
  callClient(call: ClientCall): Promise<ClientAnswer>;
  /** What was said meanwhile; whoever takes it has it said to the model. */
  takeSteered(): readonly SaidInput[];
}

export type TurnEnd =
  | { readonly status: "completed" }
  | { readonly status: "interrupted" }
  | { readonly status: "failed"; readonly message: string };
