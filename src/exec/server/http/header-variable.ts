/**
 * Variables of this executor as parts of headers.
 *
 * A client may have a secret sent that it does not know, to whom it likes. So
 * what this executor and its cloud are known by can never be used.
 */
import { RpcError } from "../../../rpc/index.ts";
import { OWN_VARIABLES } from "../../child-environment.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

const REFUSED = new Set([
  ...["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CONNECTORS_TOKEN"],
  "GOOGLE_APPLICATION_CREDENTIALS",
  ...OWN_VARIABLES,
]);

const REFUSED_PREFIXES = ["AWS_", "AZURE_", "WRIT_"];

/** The value of a variable that a header may hold. Throws `RpcError`, which never holds the value. */
export function readHeaderVariable(name: string, env: Variables): string {
  const upper = name.toUpperCase();
  if (REFUSED.has(upper) || REFUSED_PREFIXES.some((prefix) => upper.startsWith(prefix))) {
    throw refusal(name, "it is kept for this executor, expected another variable");
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined || value === "") {
    throw refusal(name, "it is unset or empty, expected a value");
  }
  return value;
}

function refusal(name: string, why: string): RpcError {
  return new RpcError("invalidParams", `Cannot use the variable "${name}" in a header: ${why}`);
}
