import { declarationsOf, type MethodTree } from "./method-tree.ts";

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
