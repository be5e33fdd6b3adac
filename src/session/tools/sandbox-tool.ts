/** What a tool of the facade is made of. */
import { z } from "zod";
import type { SandboxCommands } from "../commands/sandbox-commands.ts";
import type { NetworkGrant } from "../effective-network.ts";
import type { SandboxCalls } from "../lifecycle/sandbox-calls.ts";
import { Refusal } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import type { SkillShelf } from "../skills/skill-shelf.ts";

/** A file of the turn that is not in the sandbox. */
export interface Artifact {
  readonly content: Uint8Array;
  readonly mimeType: string;
}

/** What a tool works with; the sandbox only through `calls` and `commands`. */
export interface ToolContext {
  readonly calls: SandboxCalls;
  readonly commands: SandboxCommands;
  readonly clock: SessionClock;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string>>;
  readonly network: readonly NetworkGrant[];
  /** Names of the caller for receipts. */
  readonly ids: Readonly<Record<string, string>>;
  readonly artifact: (name: string) => Artifact | undefined;
  /** Files of skills on the host; undefined where the thread has no skills. */
  readonly skills: SkillShelf | undefined;
  /** Whether there is a sandbox, or was one that may be found again. */
  readonly hasSandbox: () => boolean;
}

export interface SandboxTool {
  readonly name: string;
  run(input: unknown, context: ToolContext): Promise<object>;
}

interface ToolParts<S extends z.ZodType> {
  readonly name: string;
  readonly input: S;
  readonly run: (input: z.output<S>, context: ToolContext) => Promise<object>;
}

/** A tool whose input is checked before anything is done for it. */
export function sandboxTool<S extends z.ZodType>({ name, input, run }: ToolParts<S>): SandboxTool {
  return {
    name,
    async run(value, context) {
      const read = input.safeParse(value);
      if (!read.success) throw new Refusal("invalidInput", sentenceOf(name, read.error.issues));
      return run(read.data, context);
    },
  };
}

/** A path as a model writes it. Where it may lead is for the policy to say. */
export const ToolPath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes("\0") && path.trim() !== "", "expected a path");

/** What a schema says of a member that is not there. */
const NOTHING = ", received undefined";

function sentenceOf(tool: string, [issue]: readonly z.core.$ZodIssue[]): string {
  const member = issue?.path.join(".") || "input";
  // Without its class: "invalid input" says nothing that "unusable" does not.
  const said = (issue?.message ?? "expected another").replace(/^Invalid input: /, "");
  const sentence = `${said.charAt(0).toLowerCase()}${said.slice(1)}`;
  const isMissing = sentence.endsWith(NOTHING);
  const what = isMissing
    ? `is missing, ${sentence.slice(0, -NOTHING.length)}`
    : `${verbBefore(issue)} ${sentence}`;
  return `Cannot run "${tool}": "${member}" ${what}`;
}

/** What makes a sentence of the words of a schema. */
function verbBefore(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "too_small":
    case "too_big":
      return "is";
    case "unrecognized_keys":
      return "has";
    default:
      return "is unusable,";
  }
}
