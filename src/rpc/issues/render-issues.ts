/**
 * Says what is wrong with a value in one sentence.
 *
 * Clients of existing servers match on serde's wording, so zod's issues are put
 * into it. Like serde it reports one problem, the first that reading would meet:
 * a wrong member comes before a member that is missing from the end.
 */
import type { z } from "zod";
import { expectedName } from "./expected.ts";
import { memberOf, membersOf, schemaAt } from "./schema-at.ts";
import { clip, type IssueWording, oneOf, unexpected } from "./unexpected.ts";

export type { IssueWording } from "./unexpected.ts";

/** A refused value with everything that is needed to name the reason. */
export interface Refusal {
  readonly schema: z.core.$ZodType;
  readonly input: unknown;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** Renders the first problem of `refusal`. */
export function renderIssues(refusal: Refusal, wording: IssueWording): string {
  const issue = refusal.issues.find((one) => !isMissingMember(one, refusal)) ?? refusal.issues[0];
  return issue ? new Sentence(refusal, wording).of(issue) : "invalid value";
}

class Sentence {
  readonly #refusal: Refusal;
  readonly #wording: IssueWording;

  constructor(refusal: Refusal, wording: IssueWording) {
    this.#refusal = refusal;
    this.#wording = wording;
  }

  of(issue: z.core.$ZodIssue): string {
    switch (issue.code) {
      case "invalid_type":
        return this.#absence(issue) ?? this.#wrongType(issue);
      case "invalid_value":
        return this.#absence(issue) ?? this.#wrongValue(issue);
      case "unrecognized_keys":
        return this.#unknownField(issue);
      case "invalid_union":
        return this.#absence(issue) ?? this.#noOption(issue);
      default:
        return clip(issue.message);
    }
  }

  #absence(issue: z.core.$ZodIssue): string | undefined {
    const last = issue.path.at(-1);
    if (last === undefined || this.#valueAt(issue.path) !== undefined) return undefined;
    if (typeof last !== "number") return `missing field \`${String(last)}\``;
    const { length } = this.#valueAt(issue.path.slice(0, -1)) as { length: number };
    return `invalid length ${length}, expected a longer sequence`;
  }

  #wrongType(issue: z.core.$ZodIssueInvalidType): string {
    const { schema, input } = this.#refusal;
    return this.#type(issue, expectedName(issue, schemaAt(schema, issue.path, input)));
  }

  #type(issue: z.core.$ZodIssue, expected: string): string {
    const found = unexpected(this.#valueAt(issue.path), this.#wording);
    return `invalid type: ${found}, expected ${expected}`;
  }

  #wrongValue(issue: z.core.$ZodIssueInvalidValue): string {
    const names = issue.values.map(String);
    if (issue.values.some((value) => typeof value === "string")) return this.#variant(issue, names);
    const value = this.#valueAt(issue.path);
    const problem = issue.values.some((one) => typeof one === typeof value) ? "value" : "type";
    return `invalid ${problem}: ${unexpected(value, this.#wording)}, expected ${oneOf(names)}`;
  }

  #variant(issue: z.core.$ZodIssue, names: readonly string[]): string {
    const value = this.#valueAt(issue.path);
    if (typeof value !== "string") return this.#type(issue, "string or map");
    return `unknown variant \`${clip(value)}\`, expected ${oneOf(names)}`;
  }

  #unknownField(issue: z.core.$ZodIssueUnrecognizedKeys): string {
    const { schema, input } = this.#refusal;
    const found = schemaAt(schema, issue.path, input);
    const known = membersOf(found);
    if (known.length === 0 && found && issue.path.length === 0) {
      const unit = expectedName({ ...issue, code: "invalid_type", expected: "object" }, found);
      if (unit === "unit") return this.#type(issue, unit);
    }
    const expected = known.length === 0 ? "there are no fields" : `expected ${oneOf(known)}`;
    return `unknown field \`${clip(issue.keys[0] ?? "")}\`, ${expected}`;
  }

  #noOption(issue: z.core.$ZodIssueInvalidUnion): string {
    if ("options" in issue && Array.isArray(issue.options)) {
      return this.#variant(issue, issue.options.map(String));
    }
    const firsts = issue.errors.flatMap(([first]) => (first ? [first] : []));
    const atRoot = firsts.filter((first) => first.path.length === 0);
    if (atRoot.length === firsts.length) return this.#noOptionAtAll(issue, atRoot);
    return this.of(under(issue, deepest(firsts)));
  }

  /** Every option refuses the value as a whole: say what all of them would have taken. */
  #noOptionAtAll(issue: z.core.$ZodIssue, firsts: readonly z.core.$ZodIssue[]): string {
    const names = firsts.flatMap((one) => (one.code === "invalid_value" ? one.values : []));
    if (names.length > 0 && typeof this.#valueAt(issue.path) === "string") {
      return this.#variant(issue, names.map(String));
    }
    const types = firsts.flatMap((one) =>
      one.code === "invalid_type" ? [expectedName(one, undefined)] : [],
    );
    if (types.length > 0) return this.#type(issue, [...new Set(types)].join(" or "));
    const [first] = firsts;
    return first ? this.of(under(issue, first)) : clip(issue.message);
  }

  #valueAt(path: readonly PropertyKey[]): unknown {
    return path.reduce(memberOf, this.#refusal.input);
  }
}

/** Issues inside a union are placed relative to it. */
function under(parent: z.core.$ZodIssue, child: z.core.$ZodIssue): z.core.$ZodIssue {
  return { ...child, path: [...parent.path, ...child.path] };
}

/** The option that understood most of the value is most likely the one that was meant. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  return issues.reduce((best, one) => (one.path.length > best.path.length ? one : best));
}

function isMissingMember(issue: z.core.$ZodIssue, { input }: Refusal): boolean {
  const [key, ...rest] = issue.path;
  return key !== undefined && rest.length === 0 && memberOf(input, key) === undefined;
}
