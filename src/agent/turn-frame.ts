import type { PathUri, PermissionProfile } from "../policy/index.ts";
import type { ApprovalPolicy } from "./approval.ts";
import type { ClientTool } from "./client/client-tool.ts";

/** Which model answers. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  readonly effort: string | null;
}

/** What holds for a whole turn. */
export interface TurnFrame {
  readonly profile: PermissionProfile;
  readonly cwd: PathUri;
  readonly workspaceRoots: readonly PathUri[];
  /** Counts what the thread was held to: a policy that comes back is another one than before. */
  readonly era: number;
  /** Places that the policy has from a grant: each is for what has that name, and not for where it leads. */
  readonly granted: readonly PathUri[];
  readonly approval: ApprovalPolicy;
  readonly model: ModelChoice;
  readonly instructions: string | null;
  /** Where commands run: `local`, one that was added, or, with null, nowhere. */
  readonly environment: string | null;
  /** What the client of the thread runs itself. */
  readonly clientTools: readonly ClientTool[];
}
