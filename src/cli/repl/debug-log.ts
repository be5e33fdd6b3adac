/** Writes what is called and replied to a folder, for whoever looks for a fault. */
import fs from "node:fs";
import path from "node:path";
import type { ReplLog } from "../../mcp/index.ts";
import { makeFolder } from "../../sandbox/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";
import { systemProblem } from "../help/system-problem.ts";

export interface DebugLog {
  /** Where the lines of this start are; no worker may write there. */
  readonly folder: string;
  readonly log: ReplLog;
}

/** Opens the log of this start, where one was asked for. Throws where it cannot be written. */
export function openDebugLog(flags: FlagValues, { env, cwd }: CliWorld): DebugLog | undefined {
  const asked = flags["debug-dir"] ?? env.MCP_REPL_DEBUG_DIR;
  if (!asked) return undefined;
  const folder = path.resolve(cwd, String(asked), `session-${Date.now()}-${process.pid}`);
  try {
    makeFolder(folder);
    const file = fs.openSync(path.join(folder, "events.jsonl"), "ax", 0o600);
    return { folder: fs.realpathSync(folder), log: lineWriter(file) };
  } catch (cause) {
    const why = `${systemProblem(cause)}, expected a folder that can be written`;
    throw new UsageError(`Cannot write to --debug-dir "${asked}": ${why}`, { cause });
  }
}

function lineWriter(file: number): ReplLog {
  return (event) => {
    try {
      fs.writeSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...event })}\n`);
    } catch {
      // A full disk is no reason to lose a session.
    }
  };
}
