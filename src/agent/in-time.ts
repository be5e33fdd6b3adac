import type { AgentClock } from "./agent-clock.ts";

/** How long the end of something is waited for that a machine may never tell of. */
const GRACE_MS = 5000;

/** Waits for work, but not for ever; whether it was over in time. What it rejects with is thrown. */
export async function inTime(work: Promise<unknown>, clock: AgentClock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const cancel = clock.after(GRACE_MS, () => resolve(false));
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    cancel();
  }
}
