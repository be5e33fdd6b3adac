import type { Grant } from "../../policy/index.ts";
import type { TurnFrame } from "../turn-frame.ts";

/** How long a grant holds: until the turn is over, or for as long as the thread is loaded. */
export type GrantScope = "turn" | "session";

/** Whether more may be allowed than the policy of the turn does. */
export interface PermissionQuestion {
  /** The call that asks. */
  readonly itemId: string;
  readonly cwd: string;
  readonly reason: string | null;
  readonly asked: Grant;
}

export interface PermissionAnswer {
  /** As it was answered: it may be more than was asked, or nothing. */
  readonly given: Grant;
  readonly scope: GrantScope;
}

/** A grant that is to be put on what holds for a turn. */
export interface GrantRequest {
  readonly frame: TurnFrame;
  readonly asked: Grant;
  readonly given: Grant;
}
