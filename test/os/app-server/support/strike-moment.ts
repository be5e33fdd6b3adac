/** When a server is killed: some time into a turn, or after so much was told of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StruckApp } from "./struck-app.ts";

export type Random = (below: number) => number;

/** A turn that begins and is not waited for. */
export interface Begun {
  /** What must have happened before a strike counts as one at a command without a sandbox. */
  readonly first: string | undefined;
  /** Whether nothing more will be told; it goes on, where it is not said. */
  readonly standsStill?: () => boolean;
  /** What the server said no to; it should not. */
  readonly refusals: readonly string[];
}

/** Some time after it was asked for, or after so much was told. */
export async function momentOf(app: StruckApp, begun: Begun, random: Random): Promise<void> {
  const { first, refusals, standsStill = () => false } = begun;
  const { client } = app;
  const from = client.notes.length;
  const has = (wanted: string) => client.notes.slice(from).some(({ method }) => method === wanted);
  const told = random(12);
  const isTime = () => (first === undefined ? client.notes.length - from > told : has(first));
  if (first === undefined && random(2) === 0) return sleep(random(160));
  const goesOn = () => !has("turn/completed") && !standsStill() && refusals.length === 0;
  while (!isTime() && goesOn()) await sleep(1);
}
