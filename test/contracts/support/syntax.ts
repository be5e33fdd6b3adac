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

/** Every node of a file, parents first. */
export function nodesOf(text: string): Placed[] {
  return descend(parseAst(text, { lang: "ts", astType: "ts" }), undefined, "");
}

/** What a file imports or re-exports, types and dynamic imports included; `undefined` if computed. */
export function importsOf(text: string): (string | undefined)[] {
  return nodesOf(text)
    .map(({ node }) => importedBy(node))
    .filter((source) => source !== undefined)
    .map((source) => literalText(source));
}

/** The names a file exports, each once; `*` stands for a re-export of everything. */
export function exportsOf(text: string): string[] {
  return [...new Set(nodesOf(text).flatMap(({ node }) => exportedBy(node)))];
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
  let masked = text;
  for (const { node } of nodesOf(text)) {
    if (node.type !== "Literal" && node.type !== "TemplateElement") continue;
    const blank = text.slice(node.start, node.end).replaceAll(/[^\n]/g, " ");
    masked = masked.slice(0, node.start) + blank + masked.slice(node.end);
  }
  return masked;
}

/** The name of an identifier, or the empty string for any other node. */
export function nameOf(value: unknown): string {
  return isNode(value) && typeof value.name === "string" ? value.name : "";
}

/** The nodes in a list-valued member of a node. */
export function nodeList(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function descend(value: unknown, parent: SyntaxNode | undefined, key: string): Placed[] {
  if (Array.isArray(value)) return value.flatMap((item) => descend(item, parent, key));
  if (!isNode(value)) return [];
  const below = Object.entries(value).flatMap(([name, child]) => descend(child, value, name));
  return [{ node: value, parent, key }, ...below];
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
