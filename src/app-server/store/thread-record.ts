/** What is kept of threads. Times are milliseconds since 1970. */
import type { ApprovalPolicy, ClientTool, TurnItem } from "../../agent/index.ts";
import type { SeenFolder } from "../policy/see-folders.ts";
import type { ThreadPolicy } from "../policy/thread-policy.ts";

/** What a thread goes on with: changed as a whole, kept before it is announced. */
export interface ThreadSettings {
  readonly policy: ThreadPolicy;
  readonly cwd: string;
  readonly workspaceRoots: readonly string[];
  /** Where the folders led when they were taken; they must not lead elsewhere later. */
  readonly seen: readonly SeenFolder[];
  readonly approvalPolicy: ApprovalPolicy;
  readonly approvalsReviewer: "user" | "auto_review" | "guardian_subagent";
  readonly model: string;
  readonly modelProvider: string;
  readonly effort: string | null;
  readonly summary: "auto" | "concise" | "detailed" | "none" | null;
  readonly serviceTier: string | null;
  readonly instructions: string | null;
  /** Ids, primary first; empty is none at all. */
  readonly environments: readonly { readonly id: string; readonly cwd: string }[];
  /** What the client brought, to run itself. */
  readonly clientTools: readonly ClientTool[];
}

export interface ThreadRecord {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly forkedFrom: string | null;
  /** The first thing the user said; empty before that. */
  readonly preview: string;
  readonly name: string | null;
  readonly archived: boolean;
  readonly originator: string | null;
  readonly threadSource: string | null;
  readonly settings: ThreadSettings;
}

export type TurnState = "inProgress" | "completed" | "interrupted" | "failed";

export interface TurnRecord {
  readonly id: string;
  readonly state: TurnState;
  readonly error: string | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
}

export interface ItemRecord {
  readonly turn: string;
  readonly item: TurnItem;
  readonly startedAt: number;
  readonly completedAt: number | null;
}
