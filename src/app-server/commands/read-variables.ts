import { RpcError } from "../../rpc/index.ts";

/** What a request changes about the variables that a command inherits. */
export interface CommandVariables {
  readonly set: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

/** Of what is taken away the name is matched without case, and these two would match more than one. */
const PATTERN = /[*?]/;

/** Reads `env`: null takes an inherited variable away. Throws `RpcError` for what no variable can be. */
export function readVariables(env: Readonly<Record<string, string | null>>): CommandVariables {
  const set: [string, string][] = [];
  const removed: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name)) throw refusal(name, "it is no name of a variable");
    if (value?.includes("\0")) throw refusal(name, "its value holds a zero byte");
    if (value !== null) set.push([name, value]);
    else if (PATTERN.test(name)) throw refusal(name, "it is a pattern");
    else removed.push(name);
  }
  return { set: Object.fromEntries(set), removed };
}

const MOST_QUOTED = 100;

function refusal(name: string, is: string): RpcError {
  const shown = JSON.stringify(name.slice(0, MOST_QUOTED));
  return new RpcError(
    "invalidParams",
    `Cannot set the variable ${shown}: ${is}, expected a name and text without zero bytes`,
  );
}
