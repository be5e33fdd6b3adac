/**
 * Finds the handler of a message and runs it on checked params only.
 *
 * The router is built once per server and shared by its connections; what
 * belongs to one connection is in the context it is called with.
 */
import type { Handler, Handlers, IncomingCall } from "./declare/handlers.ts";
import { type Declaration, isDeclaration, type MethodTree } from "./declare/method-tree.ts";

/** A call whose params are sound, before its handler runs. */
export interface Admission<Context> {
  readonly declaration: Declaration;
  /** As they came over the wire: only here can a present member be told from a default. */
  readonly params: unknown;
  readonly context: Context;
}

/** Lets a call through, or throws `RpcError`: gating of experimental methods, handshake order. */
export type Admit<Context> = (admission: Admission<Context>) => void;

export interface Route<Context> {
  readonly declaration: Declaration;
  readonly handle: (params: unknown, context: Context, call: IncomingCall) => unknown;
}

export interface Router<Context> {
  /** Wire names of the declared requests, in order of declaration. */
  readonly methods: readonly string[];
  readonly admit: Admit<Context>;
  find(kind: Declaration["kind"], name: string): Route<Context> | undefined;
}

interface RouterOptions<T extends MethodTree, Context> {
  readonly methods: T;
  readonly handlers: Handlers<T, Context>;
  readonly admit?: Admit<Context>;
}

/** Joins declarations and handlers; throws where one is missing, extra or named twice. */
export function createRouter<T extends MethodTree, Context>({
  methods,
  handlers,
  admit = () => {},
}: RouterOptions<T, Context>): Router<Context> {
  const routes = routesOf<Context>(methods, handlers);
  const byName = byWireName(routes);
  return {
    methods: routes.flatMap(({ declaration: { kind, name } }) =>
      kind === "request" ? [name] : [],
    ),
    admit,
    find: (kind, name) => {
      const found = byName.get(name);
      return found?.declaration.kind === kind ? found : undefined;
    },
  };
}

/** One name has one meaning: of two declarations with it, one would never be found. */
function byWireName<Context>(
  routes: readonly Route<Context>[],
): ReadonlyMap<string, Route<Context>> {
  const byName = new Map<string, Route<Context>>();
  for (const route of routes) {
    const { name } = route.declaration;
    if (byName.has(name)) {
      throw new Error(`Cannot route "${name}": it is declared twice, expected once`);
    }
    byName.set(name, route);
  }
  return byName;
}

type AnyHandlers<Context> = {
  readonly [key: string]: Handler<unknown, Context, unknown> | AnyHandlers<Context>;
};

function routesOf<Context>(tree: MethodTree, handlers: object): Route<Context>[] {
  const byKey = handlers as AnyHandlers<Context>;
  refuseExtra(tree, byKey);
  return Object.entries(tree).flatMap(([key, node]) => {
    const found = byKey[key];
    if (!isDeclaration(node))
      return routesOf<Context>(node, typeof found === "object" ? found : {});
    if (typeof found !== "function") {
      throw new Error(`Cannot route "${node.name}": there is no handler, expected a function`);
    }
    // Bound, so that handlers may be methods of an object with state.
    return [{ declaration: node, handle: found.bind(byKey) }];
  });
}

/** The types let an extra function pass when the handlers come in a variable. */
function refuseExtra(tree: MethodTree, handlers: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(handlers)) {
    if (typeof value === "function" && !Object.hasOwn(tree, key)) {
      throw new Error(`Cannot route "${key}": it is not declared, expected only declared handlers`);
    }
  }
}
