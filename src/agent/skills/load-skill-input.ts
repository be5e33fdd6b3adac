import { z } from "zod";
import type { ToolDeclaration } from "../model/model.ts";
import { readToolInput } from "../tools/read-tool-input.ts";

/** The tool by which a model gets the text of a skill. */
export const LOAD_SKILL = "load_skill";

const LoadSkillInput = z.strictObject({
  name: z.string().min(1).max(256).describe("Of the skill, as the catalogue has it."),
});

const LIMITS = { maxLength: 4096, maxDepth: 4, maxValues: 16 };

/** Reads the input of a call, or says in a sentence what is wrong with it. */
export function readLoadSkillInput(
  text: string,
): { readonly input: z.output<typeof LoadSkillInput> } | { readonly refusal: string } {
  return readToolInput({ tool: LOAD_SKILL, schema: LoadSkillInput, text, limits: LIMITS });
}

let declared: ToolDeclaration | undefined;

export function declareLoadSkill(): ToolDeclaration {
  declared ??= {
    name: LOAD_SKILL,
    description:
      "Loads a skill: instructions for a task, and where its files are. It may take tools away for the rest of the turn.",
    inputSchema: z.toJSONSchema(LoadSkillInput),
  };
  return declared;
}
