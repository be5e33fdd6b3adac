import type { Method, Notification } from "./method.ts";

/** Either kind of declaration. */
export type Declaration = Method | Notification;

/** Declarations by the name programs use, grouped as deep as reads well: `process.start`. */
export interface MethodTree {
  readonly [key: string]: Declaration | MethodTree;
}

/** Everything two sides may say to each other. */
export interface Protocol<
  ToServer extends MethodTree = MethodTree,
  ToClient extends MethodTree = MethodTree,
> {
  readonly name: string;
  readonly summary: string;
  readonly toServer: ToServer;
  readonly toClient: ToClient;
}

/** Declares a protocol; a wire name used twice in one direction is refused here, once, at start-up. */
export function protocol<ToServer extends MethodTree, ToClient extends MethodTree>(
  declared: Protocol<ToServer, ToClient>,
): Protocol<ToServer, ToClient> {
  for (const tree of [declared.toServer, declared.toClient]) refuseDuplicates(declared.name, tree);
  return declared;
}

/** The declarations of a tree in the order they are written. */
export function declarationsOf(tree: MethodTree): readonly Declaration[] {
  return Object.values(tree).flatMap((node) =>
    isDeclaration(node) ? [node] : declarationsOf(node),
  );
}

/** Tells a leaf from a group. A group has no string `kind`, since its members are objects. */
export function isDeclaration(node: Declaration | MethodTree): node is Declaration {
  return typeof node.kind === "string";
}

function refuseDuplicates(protocolName: string, tree: MethodTree): void {
  const seen = new Set<string>();
  for (const { name } of declarationsOf(tree)) {
    if (seen.has(name)) {
      throw new Error(
        `Cannot declare "${protocolName}": the method "${name}" is declared twice, expected once`,
      );
    }
    seen.add(name);
  }
}
