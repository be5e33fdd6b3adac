/** What of this layer crosses the wire, and under which code. */
import { ExecError } from "../exec/index.ts";
import { RpcError } from "../rpc/index.ts";
import { ThreadStoreError } from "./store/thread-store-error.ts";

/** Says in a handler's name what it threw; everything that is not ours stays a fault. */
export function toRpcError(error: unknown): unknown {
  if (error instanceof ThreadStoreError) {
    const isAsked = error.code === "badCursor" || error.code === "missing";
    return new RpcError(isAsked ? "invalidRequest" : "internalError", error.message, {
      cause: error,
    });
  }
  if (error instanceof ExecError) {
    return new RpcError("internalError", error.message, { cause: error });
  }
  return error;
}

type AnyHandler = (...args: readonly unknown[]) => unknown;

/** The same handlers, except that what they throw is told. */
export function tellErrors<T extends object>(handlers: T): T {
  const told = Object.entries(handlers).map(([name, one]) => [
    name,
    typeof one === "function" ? telling(one.bind(handlers)) : tellErrors(one),
  ]);
  return Object.fromEntries(told) as T;
}

function telling(handle: AnyHandler): AnyHandler {
  return async (...args) => {
    try {
      return await handle(...args);
    } catch (error) {
      throw toRpcError(error);
    }
  };
}
