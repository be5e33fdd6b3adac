/** Which interpreters a server has, by its options. */
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import {
  findInterpreters,
  LANGUAGES,
  type Language,
  lackOf,
  startOf,
  type WorkerStart,
  workerStart,
} from "../../mcp/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { systemProblem } from "../help/system-problem.ts";

/** What mcp-repl writes for a worker of one's own. */
const WorkerSpec = z.strictObject({
  executable: z.string().min(1),
  args: z.array(z.string()).prefault([]),
  working_dir: z.union([z.literal("inherit"), z.strictObject({ path: z.string() })]).optional(),
  env: z.record(z.string(), z.string()).prefault({}),
  stdin: z.enum(["pipe", "pty"]).optional(),
  sandbox: z.literal("server").optional(),
});

/** The workers to start, by the name that calls use. Throws where one cannot be started here. */
export function chosenWorkers(
  flags: FlagValues,
  world: CliWorld,
): ReadonlyMap<string, WorkerStart> {
  const spec = flags["worker-spec"];
  if (spec !== undefined) return new Map([["custom", readSpec(String(spec), flags, world)]]);
  const found = findInterpreters({ ...world, node: process.execPath });
  return new Map(
    languagesIn(flags, world).map((language) => {
      const start = startOf(language, found);
      if (start !== undefined) return [language, start];
      throw new UsageError(`Cannot run ${language}: ${lackOf(language, found)}`);
    }),
  );
}

/** `--interpreter` is mcp-repl's word for one language; its variable and its default hold with it. */
function languagesIn(flags: FlagValues, { env }: CliWorld): Language[] {
  const { language, interpreter } = flags;
  if (language !== undefined && interpreter !== undefined) {
    throw new UsageError("Cannot use --interpreter and --language: expected one of them");
  }
  const asked = language ?? interpreter ?? (env.MCP_REPL_INTERPRETER || "r");
  return [...new Set([asked].flat().map((one) => languageOf(String(one))))];
}

function languageOf(text: string): Language {
  const language = LANGUAGES.find((one) => one === text.trim().toLowerCase());
  if (language !== undefined) return language;
  throw new UsageError(`Cannot run "${text}": expected ${LANGUAGES.join(", ")}`);
}

function readSpec(file: string, flags: FlagValues, { cwd }: CliWorld): WorkerStart {
  if (flags.language !== undefined || flags.interpreter !== undefined) {
    throw new UsageError("Cannot use --worker-spec with a language: expected one of them");
  }
  const read = WorkerSpec.safeParse(jsonIn(path.resolve(cwd, file)));
  if (!read.success) {
    throw new UsageError(`Cannot use --worker-spec "${file}": ${problemOf(read.error)}`);
  }
  const { executable, args, env, stdin, working_dir: place } = read.data;
  const folder = place === undefined || place === "inherit" ? undefined : place.path;
  if (stdin === "pty") {
    throw new UsageError(
      `Cannot use --worker-spec "${file}": it asks for stdin "pty", expected "pipe"`,
    );
  }
  if (folder !== undefined && !path.isAbsolute(folder)) {
    throw new UsageError(
      `Cannot use --worker-spec "${file}": its working_dir "${folder}" is relative, expected an absolute path`,
    );
  }
  return workerStart([executable, ...args], env, folder);
}

/** The first of them: a sentence has one line. */
function problemOf({ issues: [issue] }: z.ZodError): string {
  const { path: at = [], message = "invalid input" } = issue ?? {};
  const said = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return `${at.length === 0 ? "it" : JSON.stringify(at.join("."))} has ${said}`;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (cause) {
    const why = `${systemProblem(cause)}, expected a file of JSON`;
    throw new UsageError(`Cannot read --worker-spec "${file}": ${why}`, { cause });
  }
}
