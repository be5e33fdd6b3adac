/**
 * One number sizes every fuzz and fault campaign.
 *
 * `WRIT_CAMPAIGN` is a fraction of the full size: 1 in `npm run test:campaign`, a tenth everywhere
 * else. The seed is printed, so that a failure can be run again with `WRIT_SEED`.
 */
import type fc from "fast-check";

const fraction = Number(process.env.WRIT_CAMPAIGN ?? "0.1");
const seed = Number(process.env.WRIT_SEED ?? Date.now() % 2 ** 31);

if (!(fraction > 0 && fraction <= 1)) {
  throw new Error(`Cannot size the campaign: WRIT_CAMPAIGN is ${fraction}, expected (0, 1]`);
}

/** The seed of this run; `test/support/print-seed.ts` shows it once. */
export const campaignSeed = seed;

/** How many rounds a campaign of `full` rounds runs this time. */
export function rounds(full: number): number {
  return Math.max(10, Math.round(full * fraction));
}

/** fast-check parameters for a property of `full` rounds. */
export function campaign(full: number): fc.Parameters<unknown> {
  return { numRuns: rounds(full), seed };
}
