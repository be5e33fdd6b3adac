/** What clients ask before they show anything: models, settings, names of policies. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import {
  Configuration,
  ConfigurationLayer,
  LayerOrigin,
  Requirements,
} from "./shapes/configuration.ts";
import { pageMembers } from "./shapes/page-members.ts";
import { RateLimits } from "./shapes/rate-limits.ts";

const text = z.string().nullable();
const flag = z.boolean().nullish();
const nextCursor = text;
/** Clients send nothing, null or an empty object. */
const Anything = z.object({}).nullish();

const Model = z
  .object({
    id: z.string(),
    model: z.string(),
    upgrade: text,
    upgradeInfo: z.null(),
    availabilityNux: z.null(),
    displayName: z.string(),
    description: z.string(),
    modelSpecialty: text,
    hidden: z.boolean(),
    supportedReasoningEfforts: z.array(
      z.object({ reasoningEffort: z.string(), description: z.string() }),
    ),
    defaultReasoningEffort: z.string(),
    inputModalities: z.array(z.enum(["text", "image", "audio"])),
    supportsPersonality: z.boolean(),
    multiAgentVersion: z.null(),
    additionalSpeedTiers: z.array(z.string()),
    serviceTiers: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
    defaultServiceTier: text,
    availableAccessPrograms: z.null(),
    isDefault: z.boolean(),
  })
  .meta({ id: "Model", description: "A model that may be chosen." });

const accountMethods = {
  accountRead: method("account/read", {
    summary: "Whose account is used; models here are reached by keys of the configuration",
    params: z.object({ refreshToken: flag }),
    result: z.object({
      account: z.object({ type: z.literal("apiKey") }).nullable(),
      requiresOpenaiAuth: z.boolean(),
      workspaceRouting: z.null(),
    }),
  }),
  accountRateLimitsRead: method("account/rateLimits/read", {
    summary: "How much of an account is used up",
    params: Anything,
    result: z.object({
      ordinaryUsageAllowed: z.boolean().nullable(),
      rateLimits: RateLimits,
      rateLimitsByLimitId: z.record(z.string(), RateLimits).nullable(),
      rateLimitResetCredits: z.null(),
      accountId: text,
      rateLimitUpsell: z.null(),
    }),
  }),
  accountBedrockCheckGovCloudRequirements: method("account/bedrock/checkGovCloudRequirements", {
    summary: "Always no",
    params: Anything,
    result: z.object({ isGovCloud: z.literal(false), shouldWarn: z.literal(false) }),
  }),
};

const configurationMethods = {
  configRead: method("config/read", {
    summary: "The configuration in force for a folder",
    params: z.object({ includeLayers: flag, cwd: z.string().nullish() }),
    result: z.object({
      config: Configuration,
      origins: z.record(z.string(), LayerOrigin),
      layers: z.array(ConfigurationLayer).nullable(),
    }),
  }),
  configRequirementsRead: method("configRequirements/read", {
    summary: "What the operator of this machine allows",
    params: Anything,
    result: z.object({
      supportsIndependentSpeedModes: z.boolean().nullable(),
      requirements: Requirements.nullable(),
    }),
  }),
  permissionProfileList: method("permissionProfile/list", {
    summary: "The named profiles, built-in ones first, and whether each may be chosen",
    params: z.object({ ...pageMembers, cwd: z.string().nullish() }),
    result: z.object({
      data: z.array(z.object({ id: z.string(), description: text, allowed: z.boolean() })),
      nextCursor,
    }),
  }),
};

const SkillMetadata = z
  .object({
    name: z.string(),
    description: z.string(),
    path: z.string().describe("Of its `SKILL.md`, on this machine."),
    scope: z.enum(["user", "repo"]),
    enabled: z.boolean(),
  })
  .meta({ id: "SkillMetadata", description: "A skill, before it is loaded." });

const cwds = z.array(z.string()).nullish();
const problems = z.array(z.object({ path: z.string(), message: z.string() }));

export const catalogMethods = {
  ...accountMethods,
  ...configurationMethods,
  modelList: method("model/list", {
    summary: "The models of the configuration",
    params: z.object({ ...pageMembers, includeHidden: flag }),
    result: z.object({ data: z.array(Model), nextCursor }),
  }),
  skillsList: method("skills/list", {
    summary: "The skills that threads in some folders have, and what is wrong with others",
    params: z.object({ cwds, forceReload: flag }),
    result: z.object({
      data: z.array(
        z.object({ cwd: z.string(), skills: z.array(SkillMetadata), errors: problems }),
      ),
    }),
  }),
  hooksList: method("hooks/list", {
    summary: "The hooks of some folders; there are none",
    params: z.object({ cwds, threadId: z.string().nullish() }),
    result: z.object({
      data: z.array(
        z.object({
          cwd: z.string(),
          hooks: z.array(z.never()),
          warnings: z.array(z.string()),
          errors: problems,
        }),
      ),
    }),
  }),
  collaborationModeList: method("collaborationMode/list", {
    summary: "Ways of working that a client may offer",
    params: Anything,
    result: z.object({
      data: z.array(
        z.object({
          name: z.string(),
          mode: z.enum(["plan", "default"]).nullable(),
          model: text,
          reasoning_effort: text,
        }),
      ),
    }),
  }),
};
