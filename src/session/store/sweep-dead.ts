import type { SessionStore, Swept } from "./session-store.ts";

/** By the name of the provider: sandboxes that end with the process that made them. */
const ENDS_WITH_ITS_PROCESS = "local";

/** For a process that begins: makes it lasting that what dead ones had is over. What others provide stays as it is. */
export function sweepDead(store: SessionStore): Promise<Swept> {
  return store.sweep(async ({ id, provider }) => {
    if (provider === ENDS_WITH_ITS_PROCESS) return false;
    throw new Error(`Cannot look for "${id}": "${provider}" cannot be asked, expected "local"`);
  });
}
