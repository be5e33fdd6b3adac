import type { CallOptions, Client } from "../declare/handlers.ts";
import { type Declaration, isDeclaration, type MethodTree } from "../declare/method-tree.ts";
import type { Peer } from "./peer.ts";

/** Gives the declared methods as functions: `client.file.read(params)`. */
export function clientOf<T extends MethodTree>(methods: T, peer: Peer): Client<T> {
  const entries = Object.entries(methods).map(([key, node]) => [
    key,
    isDeclaration(node) ? functionFor(node, peer) : clientOf(node, peer),
  ]);
  return Object.fromEntries(entries) as Client<T>;
}

function functionFor(declaration: Declaration, peer: Peer) {
  if (declaration.kind === "notification") {
    return (params?: unknown) => peer.notify(declaration, params);
  }
  return (params?: unknown, options?: CallOptions) => peer.call(declaration, params, options);
}
