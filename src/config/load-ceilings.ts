import os from "node:os";
import type { Ceiling } from "../policy/index.ts";
import { loadConfig } from "./load-config.ts";

/** What the operator of a machine allows at most, where there is such a file. */
export const REQUIREMENTS = "/etc/writ/requirements.toml";

/** The ceilings of this machine, for whoever runs commands on it. Throws where one cannot be read. */
export async function loadCeilings(writHome: string): Promise<readonly Ceiling[]> {
  const { ceiling } = await loadConfig({
    writHome,
    // No project speaks for a machine.
    folder: "/",
    requirements: REQUIREMENTS,
    hostname: os.hostname(),
  });
  return ceiling === undefined ? [] : [ceiling];
}
