import { expect, it } from "vitest";
import type { ToolContext } from "../../../src/agent/tools/tool.ts";
import { Answer } from "../../../src/agent/turn/answer.ts";
import { ItemIds } from "../../../src/agent/turn/item-ids.ts";
import type { TurnEvent } from "../../../src/agent/turn-event.ts";

const PARTS = 40_000;

it("takes a summary of very many parts soon, and tells it as it was at its start and at its end", () => {
  const told: TurnEvent[] = [];
  const port = { emit: (...events: TurnEvent[]) => void told.push(...events) };
  const answer = new Answer({ port, now: () => 0 } as unknown as ToolContext, new ItemIds([]));
  const begun = performance.now();
  for (let index = 0; index < PARTS; index += 1) {
    answer.take({ kind: "reasoning", itemId: "r", part: "summary", index, delta: "x" });
  }
  answer.close();
  expect(performance.now() - begun).toBeLessThan(3000);
  expect(told.at(0)).toMatchObject({ kind: "itemStarted", item: { summary: [], content: [] } });
  const summary = Array.from({ length: PARTS }, () => "x");
  expect(told.at(-1)).toMatchObject({ kind: "itemCompleted", item: { summary, content: [] } });
});
