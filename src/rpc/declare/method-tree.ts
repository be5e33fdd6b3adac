import type { Method, Notification } from "./method.ts";

/** Either kind of declaration. */
export type Declaration = Method | Notification;

/** Declarations by the name programs use, grouped as deep as reads well: `file.read`. */
export interface MethodTree {
  readonly [key: string]: Declaration | MethodTree;
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
