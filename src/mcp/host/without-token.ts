import type { ServerAccess } from "./open-transport.ts";

/** What a server said, without the token that it is reached with: servers quote what they refuse. */
export function withoutToken(
  text: string,
  { config, env }: Pick<ServerAccess, "config" | "env">,
): string {
  const variable = config.kind === "http" ? config.bearerTokenEnvVar : undefined;
  const token = variable === undefined ? undefined : env[variable];
  return token ? text.replaceAll(token, "[token]") : text;
}
