/**
 * Reads an untrusted value by a schema, or says which member is wrong.
 *
 * Every reader of the policy layer comes through here, so that size, depth and
 * forbidden members are refused once, before any schema looks at the value.
 */
import type { z } from "zod";
import { quote, sentenceOf } from "./issue-sentence.ts";
import { knownMembers } from "./known-members.ts";
import { PolicyError } from "./policy-error.ts";

const POLICY_LIMITS = { depth: 64, values: 262_144, characters: 8 * 1024 * 1024 } as const;

/** The value as `schema` understands it. Throws {@link PolicyError}; `what` begins the member's name. */
export function readShape<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
): z.output<S> {
  refuseUnsafeValue(value, what);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new PolicyError("malformed", `Cannot read "${what}"`);
  const { code, message } = sentenceOf(issue, what);
  throw new PolicyError(code, `${message}${expectedFor(issue, schema)}`, { cause: result.error });
}

/** Whoever misspelled a member finds it among those that there are. */
function expectedFor({ code, path }: z.core.$ZodIssue, schema: z.ZodType): string {
  const known = code === "unrecognized_keys" ? knownMembers(schema, path) : [];
  return known.length === 0 ? "" : `, expected one of ${known.join(", ")}`;
}

/** Refuses what no honest policy holds: great depth, great size, `__proto__`, NUL, broken Unicode. */
function refuseUnsafeValue(value: unknown, what: string): void {
  const budget = { values: 1, characters: 0 };
  const stack: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    spendText(budget, item.value, what);
    if (typeof item.value !== "object" || item.value === null) continue;
    if (item.depth >= POLICY_LIMITS.depth) {
      throw tooLarge(what, `it is nested deeper than ${POLICY_LIMITS.depth} levels`);
    }
    refuseForeignObject(item.value, what);
    spendMembers(budget, item.value, what);
    for (const [key, inner] of Object.entries(item.value)) {
      if (key === "__proto__") {
        throw new PolicyError("unknown", `Cannot read "${what}": it holds a member "__proto__"`);
      }
      budget.characters += key.length;
      stack.push({ value: inner, depth: item.depth + 1 });
    }
  }
}

/** Policies are plain values: a map, a date or a class instance would be read as something else. */
function refuseForeignObject(value: object, what: string): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (Array.isArray(value) || plain) return;
  throw new PolicyError("malformed", `Cannot read "${what}": it holds an object that is not plain`);
}

interface Budget {
  values: number;
  characters: number;
}

/** All of them before the first is looked at: a long list is refused for its length. */
function spendMembers(budget: Budget, value: object, what: string): void {
  budget.values += Array.isArray(value) ? value.length : Object.keys(value).length;
  if (budget.values > POLICY_LIMITS.values) {
    throw tooLarge(what, `it holds more than ${POLICY_LIMITS.values} values`);
  }
}

function spendText(budget: Budget, value: unknown, what: string): void {
  if (typeof value === "string") {
    budget.characters += value.length;
    if (value.includes("\0") || !value.isWellFormed()) {
      throw new PolicyError(
        "malformed",
        `Cannot read "${what}": the string ${quote(value)} holds NUL or broken Unicode`,
      );
    }
  }
  if (budget.characters > POLICY_LIMITS.characters) {
    throw tooLarge(what, `its text is longer than ${POLICY_LIMITS.characters} characters`);
  }
}

function tooLarge(what: string, why: string): PolicyError {
  return new PolicyError("tooLarge", `Cannot read "${what}": ${why}`);
}
