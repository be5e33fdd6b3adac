/** Where the output of sessions goes, by options and the variables that mcp-repl reads. */
import {
  Bundles,
  DEFAULT_BUDGET,
  DEFAULT_BUNDLE_LIMITS,
  DEFAULT_PAGE_CHARS,
  DEFAULT_RETAIN_BYTES,
  PagedOutput,
  type ReplOutput,
  SessionOutput,
} from "../../mcp/index.ts";
import { type CliWorld, type FlagValues, UsageError } from "../command.ts";

export interface OutputPlan {
  readonly oversized: "files" | "pager";
  readonly pageChars: number;
  readonly maxCount: number;
  readonly maxBundleBytes: number;
  readonly maxTotalBytes: number;
}

/** Reads them. Throws on one that cannot be meant. */
export function readOutputOptions(flags: FlagValues, { env }: CliWorld): OutputPlan {
  const oversized = flags["oversized-output"] ?? "pager";
  if (oversized !== "files" && oversized !== "pager") {
    throw new UsageError(`Cannot use --oversized-output "${oversized}": expected files or pager`);
  }
  const number = (name: string, least: number, fallback: number) =>
    numberIn(name, env[name], least) ?? fallback;
  const limits = DEFAULT_BUNDLE_LIMITS;
  return {
    oversized,
    pageChars: number(
      "MCP_REPL_PAGER_PAGE_CHARS",
      64,
      number("MCP_REPL_PAGER_PAGE_BYTES", 64, DEFAULT_PAGE_CHARS),
    ),
    maxCount: number("MCP_REPL_OUTPUT_BUNDLE_MAX_COUNT", 1, limits.maxCount),
    maxBundleBytes: number("MCP_REPL_OUTPUT_BUNDLE_MAX_BYTES", 1, limits.maxBundleBytes),
    maxTotalBytes: number("MCP_REPL_OUTPUT_BUNDLE_MAX_TOTAL_BYTES", 1, limits.maxTotalBytes),
  };
}

/** The output of one session; bundles go below `folder`. */
export function outputOf(
  { oversized, pageChars, ...limits }: OutputPlan,
  folder: string,
): ReplOutput {
  const retainBytes = DEFAULT_RETAIN_BYTES;
  if (oversized === "pager") return new PagedOutput({ pageChars, retainBytes });
  return new SessionOutput({
    budget: DEFAULT_BUDGET,
    bundles: new Bundles({ ...limits, folder }),
    retainBytes,
  });
}

function numberIn(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`Cannot use ${name}="${text}": expected a whole number from ${least}`);
}
