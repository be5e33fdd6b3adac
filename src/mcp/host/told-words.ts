import type { ServerAccess } from "./open-transport.ts";

/** Of an error. What is longer is told to a model with every request from then on. */
const MOST_CHARS = 4000;

/**
 * What a server said in an error, as it is told on: no more than anybody reads, and without the
 * token that it is reached with, since servers quote what they refuse.
 */
export function toldWords(
  text: string,
  { config, env }: Pick<ServerAccess, "config" | "env">,
): string {
  const variable = config.kind === "http" ? config.bearerTokenEnvVar : undefined;
  const token = variable === undefined ? undefined : env[variable];
  const open = token ? text.replaceAll(token, "[token]") : text;
  if (open.length <= MOST_CHARS) return open;
  return `${open.slice(0, MOST_CHARS).toWellFormed()}… (${open.length} characters)`;
}
