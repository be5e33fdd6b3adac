/**
 * TypeScript as the contracts read it: what a file imports, exports and mentions.
 *
 * The parser is the one Vitest runs on. Strings and comments are therefore never mistaken for code.
 */
import { parseAst } from "vitest/node";

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A node with its place in the parent, which tells a reference from a property name. */
export interface Placed {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  readonly key: string;
}

/** The file that was asked for last: whoever looks at one asks several questions about it. */
let latest: { readonly text: string; readonly nodes: Placed[] } | undefined;

/** Every node of a file, parents first. */
export function nodesOf(text: string): Placed[] {
  if (latest?.text !== text) {
    const nodes = descend(parseAst(text, { lang: "ts", astType: "ts" }), undefined, "");
    latest = { text, nodes };
  }
  return latest.nodes;
}

/** What a file imports or re-exports, types and dynamic imports included; `undefined` if computed. */
export function importsOf(text: string): (string | undefined)[] {
  return nodesOf(text)
    .map(({ node }) => importedBy(node))
    .filter((source) => source !== undefined)
    .map((source) => literalText(source));
}

/** By text: several rules ask it of every file, one rule after the other. */
const exported = new Map<string, readonly string[]>();

/** The names a file exports, each once; `*` stands for a re-export of everything. */
export function exportsOf(text: string): readonly string[] {
  const known = exported.get(text);
  if (known) return known;
  const nodes = text.includes("export") ? nodesOf(text) : [];
  const names = [...new Set(nodes.flatMap(({ node }) => exportedBy(node)))];
  exported.set(text, names);
  return names;
}

/** The identifiers a file refers to, and `object.property` pairs; property names alone are left out. */
export function mentionsOf(text: string): string[] {
  return nodesOf(text).flatMap((placed) => {
    const { node } = placed;
    if (node.type === "Identifier") return isPropertyName(placed) ? [] : [nameOf(node)];
    if (node.type !== "MemberExpression" || node.computed === true) return [];
    return [`${nameOf(node.object)}.${nameOf(node.property)}`];
  });
}

/** The text with the content of strings, templates and regular expressions blanked, lines kept. */
export function withoutLiterals(text: string): string {
  const masked = text.split("");
  for (const { node } of nodesOf(text)) {
    if (node.type !== "Literal" && node.type !== "TemplateElement") continue;
    for (let at = node.start; at < node.end; at += 1) if (masked[at] !== "\n") masked[at] = " ";
  }
  return masked.join("");
}

/** The name of an identifier, or the empty string for any other node. */
export function nameOf(value: unknown): string {
  return isNode(value) && typeof value.name === "string" ? value.name : "";
}

/** The nodes in a list-valued member of a node. */
export function nodeList(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** One list for all levels: a file has thousands of nodes, and each would be copied once a level. */
function descend(
  value: unknown,
  parent: SyntaxNode | undefined,
  key: string,
  found: Placed[] = [],
): Placed[] {
  if (Array.isArray(value)) {
    for (const item of value) descend(item, parent, key, found);
  } else if (isNode(value)) {
    found.push({ node: value, parent, key });
    for (const [name, child] of Object.entries(value)) descend(child, value, name, found);
  }
  return found;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function importedBy(node: SyntaxNode): unknown {
  if (isNode(node.source)) return node.source;
  if (node.type === "TSExternalModuleReference") return node.expression;
  const isRequire = node.type === "CallExpression" && nameOf(node.callee) === "require";
  return isRequire ? nodeList(node.arguments)[0] : undefined;
}

function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal") return String(node.value);
  if (node.type !== "TemplateLiteral" || nodeList(node.expressions).length > 0) return undefined;
  const [cooked] = nodeList(node.quasis).map((part) => Object(part.value).cooked);
  return String(cooked);
}

function exportedBy(node: SyntaxNode): string[] {
  if (node.type === "ExportDefaultDeclaration") return ["default"];
  if (node.type === "ExportAllDeclaration") return [nameOf(node.exported) || "*"];
  if (node.type !== "ExportNamedDeclaration") return [];
  const specifiers = descend(node.specifiers, node, "").map((at) => nameOf(at.node.exported));
  return [...specifiers, ...declaredBy(node.declaration)].filter(Boolean);
}

function declaredBy(declaration: unknown): string[] {
  if (!isNode(declaration)) return [];
  if (declaration.type !== "VariableDeclaration") return [nameOf(declaration.id)];
  return nodeList(declaration.declarations)
    .flatMap(({ id }) => descend(id, undefined, "id"))
    .filter(({ node, key }) => node.type === "Identifier" && key !== "key" && key !== "typeName")
    .map(({ node }) => nameOf(node));
}

const PROPERTY_PLACES = new Set(["key", "property", "imported", "exported", "right", "label"]);

function isPropertyName({ parent, key }: Placed): boolean {
  if (parent?.computed === true) return false;
  if (key === "right") return parent?.type === "TSQualifiedName";
  return PROPERTY_PLACES.has(key);
}
