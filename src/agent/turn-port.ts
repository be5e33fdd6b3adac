import type { GrantedProfile } from "../policy/index.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "./approval.ts";
import type { ClientAnswer, ClientCall } from "./client/client-tool.ts";
import type {
  GrantRequest,
  PermissionAnswer,
  PermissionQuestion,
} from "./permissions/permission-question.ts";
import type { TurnEvent } from "./turn-event.ts";
import type { SaidInput } from "./turn-request.ts";

/** How a turn speaks and asks. */
export interface TurnPort {
  /** Fires when the turn is to stop: commands end, and so does the question that is open. */
  readonly signal: AbortSignal;
  /** All of it has been kept when it returns. Throws where it cannot be kept, and then the turn ends. */
  emit(...events: TurnEvent[]): void;
  approve(question: ApprovalQuestion): Promise<ApprovalAnswer>;
  /** Has the bounds of the host be those of now. Rejects where they cannot be read. */
  renew(): Promise<void>;
  /** Asks whether more may be allowed. Rejects where what comes back is no answer. */
  askPermissions(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** A policy with a grant on top, under the bounds of the host. Rejects with a sentence where it cannot be had. */
  grant(request: GrantRequest): Promise<GrantedProfile>;
  /** Has a client run one of its own tools, once. Rejects where none answers. */
  callClient(call: ClientCall): Promise<ClientAnswer>;
  /** What was said meanwhile; whoever takes it has it said to the model. */
  takeSteered(): readonly SaidInput[];
}

export type TurnEnd =
  | { readonly status: "completed" }
  | { readonly status: "interrupted" }
  | { readonly status: "failed"; readonly message: string };
