/**
 * What the tools for commands take, for the model and for us.
 *
 * The names are those that models were taught by Codex. A member that is not
 * here is refused: it may have been meant as a restriction.
 */
import { z } from "zod";
import type { ToolDeclaration } from "../model/model.ts";
import { readToolInput } from "../tools/read-tool-input.ts";

const yieldTime = z
  .int()
  .nonnegative()
  .optional()
  .describe("How long to wait for the end, in milliseconds; at most 30000.");
const outputTokens = z.int().positive().optional().describe("How much output to show at most.");

/** What is shown to a person must be what runs. */
function isPassable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

const SCHEMAS = {
  exec_command: z.strictObject({
    cmd: z
      .string()
      .min(1)
      .refine(isPassable, "it holds a NUL or broken Unicode, expected text")
      .describe("The command line, for bash."),
    workdir: z.string().min(1).optional().describe("Where to run it; the folder of the thread."),
    login: z.boolean().optional().describe("Whether bash is a login shell; true."),
    tty: z.boolean().optional().describe("Whether it has a terminal, to be typed into; false."),
    yield_time_ms: yieldTime,
    max_output_tokens: outputTokens,
    sandbox_permissions: z
      .enum(["use_default", "require_escalated"])
      .optional()
      .describe("require_escalated asks the user to run it without the sandbox."),
    justification: z.string().optional().describe("Why, for the user; with require_escalated."),
  }),
  write_stdin: z.strictObject({
    session_id: z.int().nonnegative().describe("Of the process, as exec_command told it."),
    chars: z
      .string()
      .optional()
      .describe(
        'What to type; nothing only waits for output. "\\u0003" alone interrupts, and ends what has no input.',
      ),
    yield_time_ms: yieldTime,
    max_output_tokens: outputTokens,
  }),
};

const DESCRIPTIONS = {
  exec_command:
    "Runs a command in the sandbox of the thread. Returns its output, or a session ID where it goes on.",
  write_stdin: "Types into a process that goes on, and returns what it has printed since.",
};

export type CommandToolName = keyof typeof SCHEMAS;
export type CommandInput<N extends CommandToolName> = z.output<(typeof SCHEMAS)[N]>;

/** What a call may cost to read, before anything of it is believed. */
const LIMITS = { maxLength: 1 << 20, maxDepth: 16, maxValues: 1024 };

/** Reads the input of a call, or says in a sentence what is wrong with it. */
export function readCommandInput<N extends CommandToolName>(
  name: N,
  text: string,
): { readonly input: CommandInput<N> } | { readonly refusal: string } {
  const read = readToolInput({ tool: name, schema: SCHEMAS[name], text, limits: LIMITS });
  return "refusal" in read ? read : { input: read.input as CommandInput<N> };
}

let declared: readonly ToolDeclaration[] | undefined;

/** Both tools, as a model is told of them. */
export function declareCommandTools(): readonly ToolDeclaration[] {
  declared ??= (["exec_command", "write_stdin"] as const).map((name) => ({
    name,
    description: DESCRIPTIONS[name],
    inputSchema: z.toJSONSchema(SCHEMAS[name]),
  }));
  return declared;
}
