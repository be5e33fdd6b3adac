import { bestTier, lackOf, probeHost, visibleLine } from "../../sandbox/index.ts";
import type { CliWorld } from "../command.ts";

/** Says that this host can confine nothing, and what it lacks: otherwise only clients hear of it, with each start. */
export async function sayUnconfined({ err }: CliWorld): Promise<void> {
  const facts = await probeHost();
  if (bestTier(facts) !== "none") return;
  const lack = facts.primitives.find(({ level, present }) => level === "needed" && !present);
  const why = lack === undefined ? "it lacks what that takes" : lackOf(lack);
  const refused =
    "Every start under a policy will be refused until then; writ doctor has the whole list";
  err(`writ: ${visibleLine(`Cannot confine commands on this host: ${why}. ${refused}`)}\n`);
}
