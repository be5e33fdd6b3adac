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

/** Joins declarations and handlers; the types have made sure that they match. */
export function createRouter<T extends MethodTree, Context>({
  methods,
  handlers,
  admit = () => {},
}: RouterOptions<T, Context>): Router<Context> {
  const routes = routesOf<Context>(methods, handlers);
  const byName = new Map(routes.map((route) => [keyOf(route.declaration), route]));
  return {
    methods: routes.flatMap(({ declaration: { kind, name } }) =>
      kind === "request" ? [name] : [],
    ),
    admit,
    find: (kind, name) => byName.get(keyOf({ kind, name })),
  };
}

/** A name may be both a request and a notification; the kind keeps them apart. */
function keyOf({ kind, name }: Pick<Declaration, "kind" | "name">): string {
  return `${kind} ${name}`;
}

type AnyHandlers<Context> = {
  readonly [key: string]: Handler<unknown, Context, unknown> | AnyHandlers<Context>;
};

function routesOf<Context>(tree: MethodTree, handlers: object): Route<Context>[] {
  const byKey = handlers as AnyHandlers<Context>;
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
