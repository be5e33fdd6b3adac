/** When a thread asks, and who is asked. */
import { z } from "zod";

const words = z.enum(["untrusted", "on-request", "never"]);
const granular = {
  sandbox_approval: z.boolean(),
  rules: z.boolean(),
  mcp_elicitations: z.boolean(),
};

/** As it is shown: every member is there. */
export const AskForApproval = z
  .union([
    words,
    z.object({
      granular: z.object({
        ...granular,
        skill_approval: z.boolean(),
        request_permissions: z.boolean(),
      }),
    }),
  ])
  .meta({ id: "AskForApproval", description: "When a thread asks before something runs." });

/** As it is asked for: the two newer members may be left out. */
export const ApprovalPolicyParam = z
  .union([
    words,
    z.object({
      granular: z.object({
        ...granular,
        skill_approval: z.boolean().default(false),
        request_permissions: z.boolean().default(false),
      }),
    }),
  ])
  .meta({ id: "ApprovalPolicyParam", description: "When a thread is to ask." });

export const ApprovalsReviewer = z
  .enum(["user", "auto_review", "guardian_subagent"])
  .meta({ id: "ApprovalsReviewer", description: "Who is asked." });
