import type { z } from "zod";
import { type IssueWording, renderIssues } from "./render-issues.ts";

/** Params after the check: usable, or a sentence about why not. */
export type ReadParams =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly problem: string; readonly absent: boolean };

/** Checks params against a declaration. Absent and `null` are the same to every method. */
export function readParams(schema: z.ZodType, params: unknown, wording: IssueWording): ReadParams {
  const absent = params === undefined || params === null;
  if (absent) {
    const parsed = schema.safeParse(undefined);
    if (parsed.success) return { kind: "read", value: parsed.data };
  }
  const input = absent ? null : params;
  const parsed = schema.safeParse(input);
  if (parsed.success) return { kind: "read", value: parsed.data };
  const problem = renderIssues({ schema, input, issues: parsed.error.issues }, wording);
  return { kind: "refused", problem, absent };
}
