import { STATE_ALIAS, STATE_KEY } from "./state-keys.ts";

const VERSION = { version: "1.0.0" };

/** The capabilities by which a server asks for the sandbox state of every tool call. */
export function advertise() {
  return {
    // Clients of Codex look here, in both eras of the protocol, and want objects.
    experimental: { [STATE_KEY]: VERSION, [STATE_ALIAS]: VERSION },
    extensions: { [STATE_KEY]: VERSION },
  };
}

/** Whether the capabilities of a server ask for the state. Only the presence of a name counts. */
export function advertises(capabilities: unknown): boolean {
  return [STATE_KEY, STATE_ALIAS].some((key) =>
    ["experimental", "extensions"].some((place) => hasOwn(memberOf(capabilities, place), key)),
  );
}

function memberOf(value: unknown, name: string): unknown {
  return hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function hasOwn(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}
