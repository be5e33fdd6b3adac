import { type Connect, RECOVERY_TIMES } from "../../exec/index.ts";
import { visibleLine } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";

type DropsWorld = Pick<CliWorld, "isWatched" | "err">;

/**
 * At a terminal, a command whose connection was lost looks like one that prints nothing.
 * What drops again while it is tried has been said.
 */
export function sayDrops(
  connect: Connect,
  address: string,
  { isWatched, err }: DropsWorld,
  now: () => number = performance.now.bind(performance),
): Connect {
  const { budgetMs } = RECOVERY_TIMES;
  const what = `the connection to "${address}" was lost; trying again for ${budgetMs / 1000} seconds`;
  let isConnected = false;
  let saidAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    if (isConnected && isWatched && now() - saidAt >= budgetMs) {
      saidAt = now();
      err(`writ: ${visibleLine(what)}\n`);
    }
    const transport = await connect(signal);
    isConnected = true;
    return transport;
  };
}
