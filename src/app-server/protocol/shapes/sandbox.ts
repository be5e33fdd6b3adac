/** How a policy is asked for, and how the one in force is shown. */
import { z } from "zod";
import { CanonicalProfile, SandboxMode, sandboxPolicySchema } from "../../../policy/index.ts";
import { published, unread } from "./published.ts";

const SandboxPolicy = unread(sandboxPolicySchema(z.object), {
  id: "SandboxPolicy",
  description: "What the commands of a thread may touch. A member that is not known is refused.",
});

/** The three ways to choose a policy where a thread begins. */
export const startPolicyMembers = {
  sandboxPolicy: SandboxPolicy.nullish().describe(
    "Acts. The whole policy, for this thread and its later turns. Wins over `sandbox`; refused beside `permissions`.",
  ),
  sandbox: SandboxMode.nullish().describe("Acts. The coarse mode. Refused beside `permissions`."),
  permissions: z
    .string()
    .nullish()
    .describe("Acts. The id of a named profile. Refused beside the other two."),
};

/** The two ways to change it later. */
export const changePolicyMembers = {
  sandboxPolicy: SandboxPolicy.nullish().describe(
    "Acts. The whole policy, from the next turn on. Refused beside `permissions`.",
  ),
  permissions: z
    .string()
    .nullish()
    .describe("Acts. The id of a named profile, from the next turn on."),
};

const RestrictedReads = z.object({
  type: z.literal("restricted"),
  includePlatformDefaults: z.boolean(),
  readableRoots: z.array(z.string()),
});

/** The nearest thing to the policy in force that older clients can read; `writ` has the exact one. */
export const SandboxEcho = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("dangerFullAccess") }),
    z.object({
      type: z.literal("readOnly"),
      access: RestrictedReads.optional().describe("Only where reads are restricted."),
      networkAccess: z.boolean(),
    }),
    z.object({
      type: z.literal("externalSandbox"),
      networkAccess: z.enum(["restricted", "enabled"]),
    }),
    z.object({
      type: z.literal("workspaceWrite"),
      writableRoots: z.array(z.string()),
      readOnlyAccess: RestrictedReads.optional().describe("Only where reads are restricted."),
      networkAccess: z.boolean(),
      excludeTmpdirEnvVar: z.boolean(),
      excludeSlashTmp: z.boolean(),
    }),
  ])
  .meta({
    id: "SandboxEcho",
    description: "The policy in force as older clients read it. It may be wider than the policy.",
  });

export const ActivePermissionProfile = z
  .object({ id: z.string(), extends: z.string().nullable() })
  .meta({ id: "ActivePermissionProfile", description: "The named profile a policy came from." });

/** The policy of record, exactly. */
export const WritThread = z
  .object({
    permissionProfile: published(CanonicalProfile, {
      id: "PermissionProfile",
      description: "What is allowed, with native paths.",
    }),
    profileDigest: z.string().describe("Names the profile, on every host."),
    boundDigest: z.string().nullable().describe("Names the profile with the paths of this host."),
    projection: z
      .object({ lossy: z.boolean(), lost: z.array(z.string()) })
      .describe("Whether the echo is wider than the policy, and what it leaves out."),
    profile: z
      .object({
        id: z.string(),
        extends: z.string().nullable(),
        state: z
          .enum(["current", "redefined", "removed"])
          .describe("What became of the name since the thread took it; the thread keeps its own."),
      })
      .nullable()
      .describe("The named profile it came from."),
  })
  .meta({ id: "WritThread", description: "The policy that is enforced on a thread, exactly." });
