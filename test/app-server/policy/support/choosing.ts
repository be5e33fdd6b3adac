/** A chooser over settings that a test writes down, on a host that is asked nothing. */
import path from "node:path";
import type { LoadConfig } from "../../../../src/app-server/policy/app-config.ts";
import { PolicyChooser } from "../../../../src/app-server/policy/policy-chooser.ts";
import { loadConfig } from "../../../../src/config/index.ts";
import type { ExecHost } from "../../../../src/exec/index.ts";
import { type Ceiling, parseAbsolutePath, readProfileTable } from "../../../../src/policy/index.ts";

export const CWD = "/r";

export const HOST: ExecHost = {
  env: {},
  platform: "linux",
  own: { hidden: [], open: [], readOnly: [] },
  records: parseAbsolutePath("/records"),
  tmpdir: undefined,
  homes: [],
  externalSandbox: "absent",
  bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
};

/** A table of `[permissions.NAME]`. */
export interface Table {
  readonly filesystem: Readonly<Record<string, string>>;
  readonly network?: { readonly enabled: boolean };
}

export interface Settings {
  readonly profiles: Readonly<Record<string, Table>>;
  readonly ceilings?: readonly Ceiling[];
}

/** A chooser for which `settings` are in the user's file; they may change between two questions. */
export function chooserOver(settings: () => Settings): PolicyChooser {
  return new PolicyChooser({ host: HOST, home: "/home/user", load: loadOver(settings) });
}

/** The settings as they are loaded each time. */
export function loadOver(settings: () => Settings): LoadConfig {
  return async (folder, overrides) => {
    const { profiles, ceilings = [] } = settings();
    const nowhere = path.join("/nowhere", "at-all");
    const places = { writHome: nowhere, requirements: nowhere, hostname: "host" };
    const config = await loadConfig({ ...places, folder, overrides });
    const tables = Object.entries(profiles).map(
      ([name, table]) => [name, readProfileTable(table, name)] as const,
    );
    return { ...config, ceilings, user: { ...config.user, profiles: new Map(tables) } };
  };
}

/** A request that says nothing but what is given. */
export function asking(ask: Parameters<PolicyChooser["choose"]>[0]["ask"]) {
  return { ask, cwd: CWD, roots: null, overrides: {} };
}
