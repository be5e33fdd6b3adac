import type { Receipt } from "../../../../src/sandbox/index.ts";
import type { Place } from "../../support/sandbox-user.ts";

/** What `writ receipts --json` says of a place, the newest first. */
export function keptReceipts(
  { run }: Pick<Place, "run">,
  flags: readonly string[] = [],
): Receipt[] {
  const { status, stdout, stderr } = run(["receipts", "--json", "--limit", "1000", ...flags]);
  if (status !== 0) throw new Error(`the receipts could not be listed: ${stderr}`);
  return JSON.parse(stdout);
}
