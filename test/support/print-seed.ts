/** Chooses the seed once for all workers and prints it, so that a failing campaign can be repeated. */
export function setup(): void {
  process.env.WRIT_SEED ??= String(Date.now() % 2 ** 31);
  process.env.WRIT_CAMPAIGN ??= "0.1";
  const { WRIT_CAMPAIGN, WRIT_SEED } = process.env;
  process.stdout.write(`campaign: WRIT_CAMPAIGN=${WRIT_CAMPAIGN} WRIT_SEED=${WRIT_SEED}\n`);
}
