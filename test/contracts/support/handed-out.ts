/**
 * What the declarations behind a door mention, to find types that a user gets hold of and cannot name.
 *
 * It reads the built declarations: in the sources a type may be inferred.
 */
import path from "node:path";
import { readText } from "./repository.ts";
import { nameOf, nodeList, nodesOf, type SyntaxNode } from "./syntax.ts";

/** A declaration: its file, and its name there. */
interface Declared {
  readonly file: string;
  readonly name: string;
}

interface Declarations {
  /** Where a name of the file comes from, for what it imports or hands on. */
  readonly from: ReadonlyMap<string, Declared>;
  /** What the file hands out under which name. */
  readonly exported: ReadonlyMap<string, Declared>;
  readonly declared: ReadonlyMap<string, readonly Named<SyntaxNode>[]>;
}

/** The types behind `door` that are to be had from no door of theirs, as "user needs type". */
export function unnamedTypes(door: string, doorOf: (file: string) => string): string[] {
  const names = [...declarationsIn(door).exported.keys()];
  const needs = names.flatMap((name) => {
    const user = origin({ file: door, name });
    return mentionedBy(user)
      .filter((type) => !isHandedOut(type, doorOf(type.file)))
      .map((type) => `${user.name} needs ${type.name} of ${type.file}`);
  });
  return [...new Set(needs)];
}

/** A type that its own file keeps to itself has no name for anybody: users see its members. */
function isHandedOut({ file, name }: Declared, door: string): boolean {
  const isOwn = !declarationsIn(file).exported.has(name);
  return isOwn || declarationsIn(door).exported.has(name);
}

/** The types of this package that a declaration speaks of, but for what is private in it. */
function mentionedBy({ file, name }: Declared): Declared[] {
  const nodes = declarationsIn(file).declared.get(name) ?? [];
  const mentioned = nodes
    .flatMap(([, node]) => typeNames(node))
    .map((type) => origin({ file, name: type }));
  return mentioned.filter((type) => declarationsIn(type.file).declared.has(type.name));
}

function typeNames(declaration: SyntaxNode): string[] {
  const within = nodesIn(declaration);
  const hidden = within.filter((node) => node.accessibility === "private");
  const isSeen = ({ start }: SyntaxNode) =>
    !hidden.some((node) => node.start <= start && start < node.end);
  return within.filter(isSeen).map(typeNameOf).filter(Boolean);
}

function typeNameOf(node: SyntaxNode): string {
  if (node.type === "TSTypeReference") return nameOf(node.typeName);
  return node.type === "TSInterfaceHeritage" ? nameOf(node.expression) : "";
}

function nodesIn(root: SyntaxNode): SyntaxNode[] {
  const children = Object.values(root).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [root, ...nodeList(children).flatMap(nodesIn)];
}

/** Where a name was declared, through all that only hands it on. */
function origin({ file, name }: Declared): Declared {
  const { from, exported } = declarationsIn(file);
  const next = from.get(name) ?? exported.get(name);
  if (next === undefined || (next.file === file && next.name === name)) return { file, name };
  return origin(next);
}

const known = new Map<string, Declarations>();

function declarationsIn(file: string): Declarations {
  const found = known.get(file) ?? readDeclarations(file);
  known.set(file, found);
  return found;
}

function readDeclarations(file: string): Declarations {
  const top = nodesOf(readText(file)).flatMap(({ node, parent }) =>
    parent?.type === "Program" ? [node] : [],
  );
  const handed = top.filter((node) => node.type === "ExportNamedDeclaration");
  const own = handed.flatMap((node) => namedDeclarations(node.declaration));
  const kept = top.flatMap((node) => namedDeclarations(node));
  return {
    from: new Map(top.flatMap((node) => importedNames(node, file))),
    exported: new Map([
      ...own.map(([name]) => [name, { file, name }] as const),
      ...handed.flatMap((node) => handedOn(node, file)),
    ]),
    declared: Map.groupBy([...own, ...kept], ([name]) => name),
  };
}

type Named<T> = readonly [name: string, what: T];

function importedNames(node: SyntaxNode, file: string): Named<Declared>[] {
  const source = sourceOf(node, file);
  if (node.type !== "ImportDeclaration" || source === undefined) return [];
  return nodeList(node.specifiers).map(({ local, imported }) => [
    nameOf(local),
    { file: source, name: nameOf(imported) },
  ]);
}

function handedOn(node: SyntaxNode, file: string): Named<Declared>[] {
  const source = sourceOf(node, file) ?? file;
  return nodeList(node.specifiers).map(({ local, exported }) => [
    nameOf(exported),
    { file: source, name: nameOf(local) },
  ]);
}

/** The declarations of a module of this package; undefined for packages of others. */
function sourceOf(node: SyntaxNode, file: string): string | undefined {
  const [source] = nodeList([node.source]);
  const target = String(source?.value ?? "");
  if (!target.startsWith(".")) return undefined;
  return path.posix.join(path.posix.dirname(file), target).replace(/\.[jt]s$/, ".d.ts");
}

function namedDeclarations(value: unknown): Named<SyntaxNode>[] {
  const [node] = nodeList([value]);
  if (node === undefined || node.type === "ImportDeclaration") return [];
  const names = node.type === "VariableDeclaration" ? nodeList(node.declarations) : [node];
  return names.flatMap(({ id }) => (nameOf(id) === "" ? [] : [[nameOf(id), node] as const]));
}
