/** Reads and layers configuration files. */
export { type ChosenProfile, chooseProfile, defaultProfile } from "./choose-profile.ts";
export { ConfigError, type ConfigErrorCode } from "./config-error.ts";
export { loadCeilings, REQUIREMENTS } from "./load-ceilings.ts";
export { type Config, type ConfigLayer, type ConfigPlaces, loadConfig } from "./load-config.ts";
export { readBoundedFile } from "./read-bounded-file.ts";
export type { EnvironmentTable } from "./read-environment.ts";
export type { HttpServerTable, McpServerTable, StdioServerTable } from "./read-mcp-servers.ts";
export { readTomlFile, type TomlTable } from "./read-toml-file.ts";
