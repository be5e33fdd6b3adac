/** Ways to silence a checker or a test that would otherwise speak up. */
import { nameOf, nodeList, nodesOf, type SyntaxNode, withoutLiterals } from "./syntax.ts";

/** Files whose subject is a compile error, and which therefore may expect one. */
const TYPE_TEST = /^test\/.*(\.test-d|[/-]types\.test)\.ts$/;
const UNRUN = new Set(["only", "skip", "skipIf", "runIf", "todo"]);
const RUNNERS = new Set(["describe", "it", "suite", "test"]);
const MIN_REASON_WORDS = 2;

/** A text without one of these words has no finding, so it is not parsed; an escape may spell any of them. */
const SUPPRESSION_WORDS = /\bany\b|@ts-|biome-ignore|\\u/;
const UNRUN_WORDS = new RegExp(`\\b(?:${[...UNRUN].join("|")})\\b|\\\\u`);

export function suppressionFindings(file: string, text: string): string[] {
  if (!SUPPRESSION_WORDS.test(text)) return [];
  const anyTypes = nodesOf(text).filter(({ node }) => node.type === "TSAnyKeyword");
  return [
    ...anyTypes.map(({ node }) => `${file}:${lineAt(text, node.start)} uses any`),
    ...commentFindings(file, withoutLiterals(text)),
  ];
}

/** Tests that exist but do not run. What cannot run here belongs to a project that is not run here. */
export function unrunFindings(file: string, text: string): string[] {
  if (!UNRUN_WORDS.test(text)) return [];
  return nodesOf(text)
    .filter(({ node }) => isUnrun(node))
    .map(({ node }) => `${file}:${lineAt(text, node.start)} leaves a test out`);
}

function commentFindings(file: string, code: string): string[] {
  return code.split("\n").flatMap((line, index) => {
    const at = `${file}:${index + 1}`;
    const [, directive = ""] = /@ts-(ignore|nocheck|expect-error)\b/.exec(line) ?? [];
    const expected = directive === "expect-error" && TYPE_TEST.test(file);
    return [
      ...(directive && !expected ? [`${at} silences the compiler: @ts-${directive}`] : []),
      ...(line.includes("biome-ignore") && !hasReason(line) ? [`${at} gives no reason`] : []),
    ];
  });
}

function hasReason(line: string): boolean {
  const [, reason = ""] = /biome-ignore[\w-]* [^:]+:(.*)/.exec(line) ?? [];
  const words = reason.replaceAll(/<[^>]*>|\*\//g, "").match(/\p{L}+/gu) ?? [];
  return words.length >= MIN_REASON_WORDS;
}

function isUnrun(node: SyntaxNode): boolean {
  if (node.type === "MemberExpression") return UNRUN.has(nameOf(node.property));
  if (node.type !== "CallExpression" || !RUNNERS.has(nameOf(node.callee))) return false;
  return nodeList(node.arguments)
    .flatMap((argument) => nodeList(argument.properties))
    .some((option) => UNRUN.has(nameOf(option.key)));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
