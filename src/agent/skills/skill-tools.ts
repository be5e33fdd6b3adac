import type { ToolUse } from "../items/tool-use.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import { refuseCall } from "../tools/refuse-call.ts";
import { startToolUse } from "../tools/start-tool-use.ts";
import type { ToolCall, ToolContext, ToolOutcome, ToolSource } from "../tools/tool.ts";
import { declareLoadSkill, LOAD_SKILL, readLoadSkillInput } from "./load-skill-input.ts";
import type { SkillAsker, ThreadSkills } from "./thread-skills.ts";

/** The tool for skills of one thread; a thread that has none is not told of it. */
export function skillTools(
  skills: ThreadSkills,
  sandbox: ThreadSandbox,
): ReturnType<ToolSource["openThread"]> {
  return {
    declarations: async () => (skills.catalogue === undefined ? [] : [declareLoadSkill()]),
    has: (name) => name === LOAD_SKILL && !skills.isEmpty,
    run: (call, context) => runLoadSkill({ call, by: "model" }, context, { skills, sandbox }),
    endTurn: async () => {},
    close: async () => {},
  };
}

interface SkillCall {
  readonly call: ToolCall;
  readonly by: SkillAsker;
}

interface SkillParts {
  readonly skills: ThreadSkills;
  readonly sandbox: ThreadSandbox;
}

/** Runs a call of `load_skill`; its item says what came of it. */
export async function runLoadSkill(
  { call, by }: SkillCall,
  context: ToolContext,
  { skills, sandbox }: SkillParts,
): Promise<ToolOutcome> {
  const read = readLoadSkillInput(call.input);
  if ("refusal" in read) return refuseCall(call, read.refusal, context);
  const { port, now } = context;
  const begun = now();
  const item = startToolUse(call, context);
  const end = (status: "completed" | "failed", output: string): ToolOutcome => {
    const durationMs = Math.max(0, now() - begun);
    const told: ToolUse = { ...item, status, durationMs, call: { ...item.call, output } };
    port.emit({ kind: "itemCompleted", item: told, atMs: now() });
    return { item: told, next: port.signal.aborted ? "stop" : "goOn" };
  };
  try {
    return end("completed", await skills.load({ name: read.input.name, by }, context, sandbox));
  } catch (error) {
    return end("failed", error instanceof Error ? error.message : String(error));
  }
}
