import type { Config } from "../../config/index.ts";

/** Variables that the settings name as holding a secret: keys of providers, and tokens of servers. */
export function keyVariables({
  settings,
  mcpServers,
}: Pick<Config, "settings" | "mcpServers">): readonly string[] {
  const ofProviders = [...settings.modelProviders.values()].flatMap(
    ({ envKey, envHttpHeaders }) => [envKey, ...Object.values(envHttpHeaders)],
  );
  const ofServers = [...mcpServers.values()].map((server) =>
    server.kind === "http" ? server.bearerTokenEnvVar : undefined,
  );
  return [...ofProviders, ...ofServers].filter((name) => name !== undefined);
}
