/**
 * Searches files with the `grep` of the sandbox.
 *
 * It runs where the files are and under the policy of the turn, so it sees what
 * a command would see. Patterns are extended regular expressions, or literal.
 */
import { z } from "zod";
import { patienceOf } from "../../commands/patience.ts";
import { begin } from "../../commands/run-command.ts";
import type { HeldSandbox } from "../../lifecycle/sandbox-holder.ts";
import type { CommandEnd, ProvidedCommand } from "../../provider/provided-command.ts";
import { Refusal } from "../../refusal.ts";
import { placeOf } from "../../skills/place-of.ts";
import { sandboxTool, type ToolContext, ToolPath } from "../sandbox-tool.ts";
import { GrepLines } from "./grep-lines.ts";

const MOST_MATCHES = 100;
const MOST_CONTEXT = 10;
const TIMEOUT_MS = 60_000;
const NOT_FOUND = 127;
const FAILED = 2;
/** Too big and of too little use, unless somebody asks for what is inside. */
const SKIPPED = [".git", "node_modules"];

const GrepInput = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(4096)
    .refine((text) => !/[\0\n]/.test(text), "expected a pattern on one line"),
  path: ToolPath.default("."),
  literal: z.boolean().default(false),
  ignoreCase: z.boolean().default(false),
  context: z.int().min(0).max(MOST_CONTEXT).default(0),
  /** Of names, not of paths: `*.ts`. */
  glob: z
    .string()
    .min(1)
    .max(256)
    .refine((text) => !/[/\0]/.test(text) && text !== "..", "expected a pattern for names")
    .optional(),
  limit: z.int().min(1).max(MOST_MATCHES).default(MOST_MATCHES),
});
type GrepInput = z.output<typeof GrepInput>;

export const grepTool = sandboxTool({
  name: "grep",
  input: GrepInput,
  async run(input, context) {
    const { calls, signal } = context;
    return calls.call({ by: "grep", signal }, (held) => search(held, input, context));
  },
});

async function search(held: HeldSandbox, input: GrepInput, { clock, signal, ids }: ToolContext) {
  const lines = new GrepLines(input.limit);
  const patience = patienceOf(clock, TIMEOUT_MS, signal);
  const started = begin(held, {
    argv: argvOf({ ...input, path: placeOf(input.path, held.sandbox) }),
    ids: { ...ids, tool: "grep" },
  });
  const ended = started.then((command) => read(command, lines));
  const first = await Promise.race([ended, patience.over]).finally(patience.stop);
  if (typeof first === "string") {
    ended.catch(() => {});
    started.then((command) => command.kill()).catch(() => {});
    if (first === "aborted") throw refusal("aborted", "it was cancelled, expected it to be wanted");
  } else if (!lines.isFull) refuseFailed(first.exitCode, lines);
  const reasons = [
    ...(lines.isFull ? ["matches"] : []),
    ...(first === "timedOut" ? ["time"] : []),
    ...(lines.lines.some(({ isCut }) => isCut) ? ["characters"] : []),
  ];
  const receiptId = typeof first === "string" ? null : first.receiptId;
  return { lines: lines.lines, isCut: reasons.length > 0, reasons, receiptId };
}

type End = Pick<CommandEnd, "exitCode" | "receiptId">;

/** How it ended; one that was not waited for, with 0. */
async function read(command: ProvidedCommand, lines: GrepLines): Promise<End> {
  command.ended.catch(() => {});
  for await (const { stream, chunk } of command.output) {
    if (stream === "stdout") lines.add(chunk);
    if (!lines.isFull) continue;
    await command.kill();
    return { exitCode: 0, receiptId: null };
  }
  lines.end();
  return command.ended;
}

/** Files that cannot be read make grep fail too; what it found besides counts. */
function refuseFailed(exitCode: number, { lines }: GrepLines): void {
  if (exitCode === NOT_FOUND) {
    throw refusal("unsupported", "the sandbox has no grep, expected one");
  }
  if (exitCode < FAILED || lines.length > 0) return;
  const expected = "a pattern that is valid and a path that exists";
  throw refusal("invalidInput", `grep ended with ${exitCode}, expected ${expected}`);
}

function argvOf(input: GrepInput): readonly [string, ...string[]] {
  const parts = input.path.split("/");
  return [
    // A pipe that is named would be waited for; one that is met on the way is passed over anyway.
    ...(["/usr/bin/env", "grep", "-rnHIs", "--devices=skip", "--null", "--color=never"] as const),
    input.literal ? "-F" : "-E",
    ...(input.ignoreCase ? ["-i"] : []),
    ...(input.context > 0 ? ["-C", String(input.context)] : []),
    ...SKIPPED.filter((name) => !parts.includes(name)).map((name) => `--exclude-dir=${name}`),
    ...(input.glob === undefined ? [] : [`--include=${input.glob}`]),
    ...["-e", input.pattern, "--", input.path],
  ];
}

function refusal(code: "aborted" | "unsupported" | "invalidInput", problem: string): Refusal {
  return new Refusal(code, `Cannot run "grep": ${problem}`);
}
