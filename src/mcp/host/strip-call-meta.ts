import { isObject, kindOf } from "../is-object.ts";
import { McpError } from "../mcp-error.ts";
import { STATE_KEYS, TURN_KEY } from "../state/state-keys.ts";

const OURS: ReadonlySet<string> = new Set([...STATE_KEYS, TURN_KEY]);

/**
 * What of a caller's `_meta` may travel: all but the names that speak of a sandbox.
 *
 * A caller that could set one would choose its own sandbox; sent to a server that
 * did not ask, one would tell it what the policy is.
 */
export function stripCallMeta(meta: unknown): Record<string, unknown> {
  if (meta === undefined) return {};
  if (!isObject(meta)) {
    throw new McpError(
      "malformedCall",
      `Cannot send the call: "_meta" is ${kindOf(meta)}, expected an object`,
    );
  }
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !OURS.has(key)));
}
