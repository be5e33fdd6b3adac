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
import type { SessionErrorCode } from "../../session-error.ts";
import { placeOf } from "../../skills/place-of.ts";
import { withReceipt } from "../on-record.ts";
import { sandboxTool, type ToolContext, ToolPath } from "../sandbox-tool.ts";
import { GrepComplaints } from "./grep-complaints.ts";
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
  const path = placeOf(input.path, held.sandbox);
  const said = { lines: new GrepLines(input.limit), complaints: new GrepComplaints(path) };
  const { lines, complaints } = said;
  const patience = patienceOf(clock, TIMEOUT_MS, signal);
  const started = begin(held, {
    argv: argvOf({ ...input, path }),
    ids: { ...ids, tool: "grep" },
  });
  let begun: ProvidedCommand | undefined;
  const ended = started.then((command) => {
    begun = command;
    return read(command, said);
  });
  const first = await Promise.race([ended, patience.over]).finally(patience.stop);
  if (typeof first === "string") {
    ended.catch(() => {});
    started.then((command) => command.kill()).catch(() => {});
    if (first === "aborted") throw refusal("aborted", "it was cancelled, expected it to be wanted");
  } else if (!lines.isFull) {
    const failure = failureOf(first.exitCode, input.path, said);
    if (failure !== undefined) throw withReceipt(failure, first.receiptId);
  }
  const reasons = [
    ...(lines.isFull ? ["matches"] : []),
    ...(first === "timedOut" ? ["time"] : []),
    ...(lines.lines.some(({ isCut }) => isCut) ? ["characters"] : []),
  ];
  const { receiptId = null } = typeof first === "string" ? { ...begun } : first;
  const { unread } = complaints;
  return { lines: lines.lines, isCut: reasons.length > 0, reasons, unread, receiptId };
}

type End = Pick<CommandEnd, "exitCode" | "receiptId">;

/** What it prints. */
interface Said {
  readonly lines: GrepLines;
  readonly complaints: GrepComplaints;
}

/** How it ended; one that was not waited for, with 0. */
async function read(command: ProvidedCommand, { lines, complaints }: Said): Promise<End> {
  command.ended.catch(() => {});
  for await (const { stream, chunk } of command.output) {
    if (stream === "stdout") lines.add(chunk);
    else complaints.add(chunk);
    if (lines.isFull) break;
  }
  if (!lines.isFull) {
    lines.end();
    return command.ended;
  }
  await command.kill();
  // What it ends with is our doing. It is waited for only where nothing else tells of its receipt.
  const { receiptId } = command.receiptId === null ? await endOf(command) : command;
  return { exitCode: 0, receiptId };
}

const endOf = ({ ended }: ProvidedCommand) => ended.catch(() => ({ receiptId: null }));

/** Files that cannot be read make grep fail too; what it found besides, if only that there is nothing, counts. */
function failureOf(
  exitCode: number,
  path: string,
  { lines, complaints }: Said,
): Refusal | undefined {
  if (exitCode === NOT_FOUND) {
    return refusal("unsupported", "the sandbox has no grep, expected one");
  }
  if (exitCode < FAILED || lines.lines.length > 0) return undefined;
  const { ofNamed, unread } = complaints;
  if (ofNamed !== undefined)
    return refusal(codeOf(ofNamed), `"${path}": ${ofNamed}, expected a path that can be read`);
  if (unread.total > 0) return undefined;
  const expected = "an extended regular expression, or literal text with that said";
  return refusal("invalidInput", `the pattern is not valid, expected ${expected}`);
}

/** In the words of the system, which are those of the C locale here. */
function codeOf(reason: string): "notFound" | "forbidden" | "invalidInput" {
  if (/^No such file/.test(reason)) return "notFound";
  return /^(?:Permission denied|Operation not permitted)/.test(reason)
    ? "forbidden"
    : "invalidInput";
}

function argvOf(input: GrepInput): readonly [string, ...string[]] {
  const parts = input.path.split("/");
  return [
    // A pipe that is named would be waited for; one that is met on the way is passed over anyway.
    ...(["/usr/bin/env", "LANGUAGE=C", "grep"] as const),
    ...["-rnHI", "--devices=skip", "--null", "--color=never"],
    input.literal ? "-F" : "-E",
    ...(input.ignoreCase ? ["-i"] : []),
    ...(input.context > 0 ? ["-C", String(input.context)] : []),
    ...SKIPPED.filter((name) => !parts.includes(name)).map((name) => `--exclude-dir=${name}`),
    ...(input.glob === undefined ? [] : [`--include=${input.glob}`]),
    ...["-e", input.pattern, "--", input.path],
  ];
}

function refusal(code: SessionErrorCode, problem: string): Refusal {
  return new Refusal(code, `Cannot run "grep": ${problem}`);
}
