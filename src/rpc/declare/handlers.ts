/**
 * The types that tie a declaration to the two programs on either side of it.
 *
 * A missing, extra or mistyped handler is a compile error, and so is a call
 * with the wrong params. Both types follow the shape of the method tree.
 */
import type { z } from "zod";
import type { RequestId } from "../message/request-id.ts";
import type { Method, Notification } from "./method.ts";
import type { MethodTree } from "./method-tree.ts";

/** One incoming call, as its handler sees it. */
export interface IncomingCall {
  readonly method: string;
  /** What the caller asks under; other messages may speak of it. Absent for a notification. */
  readonly id?: RequestId;
  /** Fires when nobody waits for the outcome: the connection is over, or the caller cancelled. */
  readonly signal: AbortSignal;
}

/** What the side that is asked must provide: one function per declaration, and no others. */
export type Handlers<T extends MethodTree, Context> = {
  readonly [K in keyof T]: T[K] extends Method<infer P, infer R>
    ? Handler<z.output<P>, Context, z.input<R>>
    : T[K] extends Notification<infer P>
      ? Handler<z.output<P>, Context, void>
      : T[K] extends MethodTree
        ? Handlers<T[K], Context>
        : never;
};

export type Handler<Params, Context, Result> = (
  params: Params,
  context: Context,
  call: IncomingCall,
) => Promise<Result> | Result;

/** How a call is made, and how long the caller is willing to wait. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Sent at once, ahead of calls that wait because too many are under way: for what ends those. */
  readonly urgent?: boolean;
  /** The id to ask under, where several peers are asked the same; counted on by this one otherwise. */
  readonly id?: number;
}

/** What the asking side gets: the same functions, seen from the other end. */
export type Client<T extends MethodTree> = {
  readonly [K in keyof T]: T[K] extends Method<infer P, infer R>
    ? (...args: Args<P, [options?: CallOptions]>) => Promise<z.output<R>>
    : T[K] extends Notification<infer P>
      ? (...args: Args<P, []>) => Promise<void>
      : T[K] extends MethodTree
        ? Client<T[K]>
        : never;
};

/** Params that may be absent on the wire may be absent in the call. */
type Args<P extends z.ZodType, Rest extends unknown[]> =
  undefined extends z.input<P>
    ? [params?: z.input<P>, ...rest: Rest]
    : [params: z.input<P>, ...rest: Rest];
