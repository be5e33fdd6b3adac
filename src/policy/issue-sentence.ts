import type { z } from "zod";
import { memberName } from "./member-name.ts";
import type { PolicyErrorCode } from "./policy-error.ts";

export interface IssueSentence {
  readonly code: PolicyErrorCode;
  readonly message: string;
}

/** Says in one sentence which member is wrong, what it is and what it should be. */
export function sentenceOf(issue: z.core.$ZodIssue, what: string): IssueSentence {
  const member = pathName(what, issue.path);
  const within = issue.code === "invalid_union" ? issueWithin(issue) : undefined;
  if (within !== undefined) return sentenceOf(within, member);
  const { code, is } = verdict(issue);
  return { code, message: `Cannot read "${member}": ${is}` };
}

function verdict(issue: z.core.$ZodIssue): { code: PolicyErrorCode; is: string } {
  switch (issue.code) {
    case "unrecognized_keys":
      return { code: "unknown", is: `unknown member ${quoteAll(issue.keys)}` };
    case "invalid_value":
      return notOneOf(issue.input, issue.values);
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
    return notOneOf(value, options);
  }
  const forms = issue.errors.flatMap(([first]) => (first === undefined ? [] : [formOf(first)]));
  return { code: "malformed", is: `${found(input)}, expected ${forms.join(" or ")}` };
}

/** What is wrong inside the one form that a value has: of the others it is not even the kind. */
function issueWithin({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue | undefined {
  const [meant] = errors.filter((form) => form.every(({ path }) => path.length > 0));
  return meant?.[0];
}

function formOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return oneOf(issue.values);
  if (issue.code !== "invalid_type") return "another form of it";
  return issue.expected === "record" ? "an object" : issue.expected;
}

/** A word that is not there is a mistake; one that is there and not known may be a newer one. */
function notOneOf(value: unknown, options: readonly unknown[]) {
  const code: PolicyErrorCode = value === undefined ? "malformed" : "unknown";
  return { code, is: `${found(value)}, expected ${oneOf(options)}` };
}

function found(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `found ${quote(value)}`;
  if (value === null || typeof value !== "object") return `found ${String(value)}`;
  return Array.isArray(value) ? "found an array" : "found an object";
}

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" or ");
}

function quoteAll(keys: readonly string[]): string {
  return keys.slice(0, 5).map(quote).join(", ");
}

/** A stranger's text of any length; the beginning is enough to find it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function pathName(what: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : memberName(name, String(key))),
    what,
  );
}
