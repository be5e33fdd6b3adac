/**
 * Variables of this executor as parts of headers.
 *
 * A client may have a secret sent that it does not know, to whom it likes. So
 * what this executor and its cloud are known by can never be used.
 */
import { RpcError } from "../../../rpc/index.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

const REFUSED = new Set([
  ...["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CONNECTORS_TOKEN"],
  "GOOGLE_APPLICATION_CREDENTIALS",
  ...["CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN", "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE"],
  ...["NODE_REPL_AUTH_TOKEN", "OPENAI_FEDERATION_RULE_ID", "OPENAI_IDENTITY_TOKEN_FILE"],
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
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
