import type { Config } from "../../config/index.ts";
import type { Ceiling } from "../../policy/index.ts";

/** Settings of a client, by the names of the user's file. */
export type ConfigOverrides = Readonly<Record<string, unknown>>;

/** What holds for a folder now. */
export interface AppConfig extends Config {
  /** Those of the machine and of whoever started the server; all of them hold. */
  readonly ceilings: readonly Ceiling[];
}

export type LoadConfig = (folder: string, overrides: ConfigOverrides) => Promise<AppConfig>;
