import type { z } from "zod";
import type { PolicyErrorCode } from "./policy-error.ts";

export interface IssueSentence {
  readonly code: PolicyErrorCode;
  readonly message: string;
}

/** Says in one sentence which member is wrong, what it is and what it should be. */
export function sentenceOf(issue: z.core.$ZodIssue, what: string): IssueSentence {
  const member = memberName(what, issue.path);
  const { code, is } = verdict(issue);
  return { code, message: `Cannot read "${member}": ${is}` };
}

function verdict(issue: z.core.$ZodIssue): { code: PolicyErrorCode; is: string } {
  switch (issue.code) {
    case "unrecognized_keys":
      return { code: "unknown", is: `unknown member ${quoteAll(issue.keys)}` };
    case "invalid_value":
      return { code: "unknown", is: `${found(issue.input)}, expected ${oneOf(issue.values)}` };
    case "invalid_union":
      return unionVerdict(issue);
    case "invalid_type":
      return { code: "malformed", is: `${found(issue.input)}, expected ${issue.expected}` };
    case "custom":
      return { code: issue.params?.code ?? "malformed", is: issue.message };
    default:
      return { code: "malformed", is: `${found(issue.input)}, ${issue.message.toLowerCase()}` };
  }
}

function unionVerdict(issue: z.core.$ZodIssueInvalidUnion): { code: PolicyErrorCode; is: string } {
  const last = issue.path.at(-1);
  const tag = "discriminator" in issue ? issue.discriminator : undefined;
  const input = issue.input;
  if (tag !== undefined && tag === last && typeof input === "object" && input !== null) {
    const value = (input as Record<string, unknown>)[String(tag)];
    const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
    return { code: "unknown", is: `${found(value)}, expected ${oneOf(options)}` };
  }
  return { code: "malformed", is: `${found(input)}, which fits no known form` };
}

function found(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null || typeof value !== "object") return `found ${JSON.stringify(value)}`;
  return Array.isArray(value) ? "found an array" : "found an object";
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" or ");
}

function quoteAll(keys: readonly string[]): string {
  return keys.map((key) => JSON.stringify(key)).join(", ");
}

function memberName(what: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : `${name}.${String(key)}`),
    what,
  );
}
