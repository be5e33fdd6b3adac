/** Turns: what is said to a thread, and all that is done about it. */
import { z } from "zod";
import { method } from "../../rpc/index.ts";
import { changePolicyMembers } from "./shapes/sandbox.ts";
import { placeMembers, turnSettingMembers } from "./shapes/setting-members.ts";
import { Turn } from "./shapes/turn.ts";
import { UserInputParam } from "./shapes/user-input.ts";

const text = z.string().nullish();
const texts = z.record(z.string(), z.string()).nullish().describe("Ignored.");

const said = {
  threadId: z.string(),
  input: z.array(UserInputParam),
  clientUserMessageId: text.describe("Acts. Comes back as `clientId` of the item."),
  responsesapiClientMetadata: texts,
  responsesapiClientMetadataPatch: texts,
  additionalContext: z.record(z.string(), z.unknown()).nullish().describe("Ignored."),
};

const TurnStartParams = z
  .object({
    ...said,
    ...turnSettingMembers,
    ...changePolicyMembers,
    ...placeMembers,
    outputSchema: z.unknown().describe("Ignored."),
    serviceTierForTurn: text.describe("Ignored."),
    turnTrigger: text.describe("Ignored."),
    parentTurnId: text.describe("Ignored."),
    rootTurnId: text.describe("Ignored."),
    toolOutput: z.unknown().describe("Refused unless null: there is no tool of the client."),
    cyberAccessProgram: z.unknown().describe("Ignored."),
  })
  .partial({ outputSchema: true, toolOutput: true, cyberAccessProgram: true })
  .meta({
    id: "TurnStartParams",
    description: "What is said. What is set along with it holds from this turn on.",
  });

export const turnMethods = {
  start: method("turn/start", {
    summary: "Say something to a thread; while a turn runs, to that turn",
    params: TurnStartParams,
    result: z.object({ turn: Turn }),
  }),
  steer: method("turn/steer", {
    summary: "Say something to the turn that runs",
    params: z.object({ ...said, expectedTurnId: z.string() }),
    result: z.object({ turnId: z.string() }),
  }),
  interrupt: method("turn/interrupt", {
    summary: "End the turn that runs, its commands and its open question",
    params: z.object({ threadId: z.string(), turnId: z.string() }),
    result: z.object({}),
  }),
};
