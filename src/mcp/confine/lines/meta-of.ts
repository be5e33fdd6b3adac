import { isObject } from "../../is-object.ts";
import type { Notification, Request } from "./line.ts";

/** Whether `_meta` is there and no object. Servers of the SDK stay silent then, and whoever asked would wait. */
export function hasBadMeta({ params }: Request | Notification): boolean {
  return isObject(params) && Object.hasOwn(params, "_meta") && !isObject(params._meta);
}

/** Whether it is of the era without a handshake, in which every request names the protocol it speaks. */
export function isModern({ params }: Request): boolean {
  return isObject(metaOf(params)) && Object.hasOwn(Object(metaOf(params)), VERSION_KEY);
}

/** The `_meta` of a request, whatever it is. */
export function metaOf(params: unknown): unknown {
  return isObject(params) ? params._meta : undefined;
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
