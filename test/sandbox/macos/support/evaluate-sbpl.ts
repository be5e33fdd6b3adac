/**
 * What Seatbelt would say: the last rule that names the operation and fits the path decides.
 *
 * It reads the flags and the text that a plan hands to `sandbox-exec`, not the tree they came from. A
 * filter it does not know throws: an unknown word must not pass for one that never fits.
 */
import type { Sbpl } from "../../../../src/sandbox/macos/sbpl.ts";
import { parseSbpl } from "./parse-sbpl.ts";

export interface Question {
  readonly operation: string;
  readonly path: string;
  /** A socket is asked about from one of its ends. */
  readonly socket?: "remote" | "local";
  /** Whether expressions see characters or the bytes of UTF-8; nobody says which Seatbelt does. */
  readonly reading?: "characters" | "bytes";
}

export type Judge = (question: Question) => "allow" | "deny";

interface Rule {
  readonly verdict: "allow" | "deny";
  readonly operations: readonly string[];
  readonly filters: readonly Sbpl[];
}

export function judgeOf(policy: { text: string; flags: readonly string[] }): Judge {
  const parameters = new Map(policy.flags.map(parameterOf));
  const rules = parseSbpl(policy.text).map(ruleOf);
  const naming = rulesNaming(rules);
  return (question) => {
    const decisive = naming(question.operation).findLast(
      ({ filters }) =>
        filters.length === 0 || filters.some((one) => fits(one, question, parameters)),
    );
    return decisive?.verdict ?? "deny";
  };
}

function ruleOf(node: Sbpl): Rule {
  const [head, ...rest] = itemsOf(node);
  return {
    verdict: wordOf(head) === "allow" ? "allow" : "deny",
    operations: rest.flatMap((one) => (one.kind === "word" ? [one.word] : [])),
    filters: rest.filter((one) => one.kind !== "word"),
  };
}

/** The rules that name an operation, in their order; each is asked about on many paths. */
function rulesNaming(rules: readonly Rule[]): (operation: string) => readonly Rule[] {
  const known = new Map<string, readonly Rule[]>();
  return (operation) => {
    const found =
      known.get(operation) ??
      rules.filter(({ operations }) => operations.some((pattern) => covers(pattern, operation)));
    known.set(operation, found);
    return found;
  };
}

function covers(pattern: string, operation: string): boolean {
  if (pattern === "default") return true;
  return pattern.endsWith("*") ? operation.startsWith(pattern.slice(0, -1)) : pattern === operation;
}

function fits(filter: Sbpl, question: Question, parameters: ReadonlyMap<string, string>): boolean {
  const [head, ...rest] = itemsOf(filter);
  const { path, socket } = question;
  const [first] = rest;
  switch (wordOf(head)) {
    case "require-all":
      return rest.every((one) => fits(one, question, parameters));
    case "require-any":
      return rest.some((one) => fits(one, question, parameters));
    case "require-not":
      return rest.every((one) => !fits(one, question, parameters));
    case "literal":
      return path === textOf(first, parameters);
    case "subpath":
      return isBelow(path, textOf(first, parameters));
    case "regex":
      return expressionOf(first, question).test(asRead(path, question));
    case "extension":
      return false;
    case "remote":
    case "local":
      if (wordOf(first) === "ip") return false;
      return (
        socket === wordOf(head) && rest.slice(1).every((one) => fits(one, question, parameters))
      );
    default:
      throw new Error(`no such filter: ${JSON.stringify(filter)}`);
  }
}

function isBelow(path: string, root: string | undefined): boolean {
  if (root === undefined) throw new Error("a subpath without a path");
  return root === "/" || path === root || path.startsWith(`${root}/`);
}

const EXPRESSIONS = {
  characters: new WeakMap<Sbpl, RegExp>(),
  bytes: new WeakMap<Sbpl, RegExp>(),
};

function expressionOf(node: Sbpl | undefined, question: Question): RegExp {
  if (node?.kind !== "regex") throw new Error("a regex without an expression");
  const { reading = "characters" } = question;
  const made =
    EXPRESSIONS[reading].get(node) ??
    new RegExp(asRead(node.pattern, question), reading === "bytes" ? "s" : "su");
  EXPRESSIONS[reading].set(node, made);
  return made;
}

function asRead(text: string, { reading }: Question): string {
  return reading === "bytes" ? Buffer.from(text, "utf8").toString("latin1") : text;
}

function textOf(
  node: Sbpl | undefined,
  parameters: ReadonlyMap<string, string>,
): string | undefined {
  if (node?.kind === "text") return node.text;
  const [head, name] = node === undefined ? [] : itemsOf(node);
  if (wordOf(head) !== "param" || name?.kind !== "text") throw new Error("expected a path");
  const value = parameters.get(name.text);
  if (value === undefined) throw new Error(`no parameter ${name.text}`);
  return value;
}

function parameterOf(flag: string): [string, string] {
  const [, name = "", value = ""] = /^-D([A-Z_0-9]+)=(.*)$/su.exec(flag) ?? [];
  if (name === "") throw new Error(`no parameter: ${flag}`);
  return [name, value];
}

function itemsOf(node: Sbpl): readonly Sbpl[] {
  if (node.kind !== "list") throw new Error(`expected a list: ${JSON.stringify(node)}`);
  return node.items;
}

function wordOf(node: Sbpl | undefined): string | undefined {
  return node?.kind === "word" ? node.word : undefined;
}
