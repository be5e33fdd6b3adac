/**
 * Methods and notifications, declared once.
 *
 * A declaration is data: handlers, clients, JSON Schema and the protocol page
 * are derived from it. Params of a request may transform: they are sent as given
 * and parsed where they arrive. Results and notifications may not: they are
 * parsed before they leave, so that nothing is sent that is not declared.
 */
import { z } from "zod";

/** The params of a method that takes none: absent, `null` and `{}` mean the same. */
export const NoParams = z.strictObject({}).nullish();
export type NoParams = z.infer<typeof NoParams>;

/** A request one side may make of the other. */
export interface Method<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly kind: "request";
  readonly name: string;
  readonly summary: string;
  /** Marked for gating; the router hands the mark to the server's `admit`. */
  readonly experimental: boolean;
  readonly params: P;
  readonly result: R;
}

/** A message that has no answer. */
export interface Notification<P extends z.ZodType = z.ZodType> {
  readonly kind: "notification";
  readonly name: string;
  readonly summary: string;
  readonly experimental: boolean;
  readonly params: P;
}

interface Described<P extends z.ZodType> {
  readonly summary: string;
  readonly experimental?: boolean;
  /** {@link NoParams} when absent. */
  readonly params?: P;
}

/** Declares a request. */
export function method<R extends z.ZodType, P extends z.ZodType = typeof NoParams>(
  name: string,
  { summary, experimental = false, params, result }: Described<P> & { readonly result: R },
): Method<P, R> {
  return { kind: "request", name, summary, experimental, params: orNone(params), result };
}

/** Declares a notification. */
export function notification<P extends z.ZodType = typeof NoParams>(
  name: string,
  { summary, experimental = false, params }: Described<P>,
): Notification<P> {
  return { kind: "notification", name, summary, experimental, params: orNone(params) };
}

/** `P` is inferred from `params`, and is `typeof NoParams` exactly when there is nothing to infer from. */
function orNone<P extends z.ZodType>(params: P | undefined): P {
  return params ?? (NoParams as unknown as P);
}
