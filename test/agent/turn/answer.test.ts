import { expect, it } from "vitest";
import type { ToolContext } from "../../../src/agent/tools/tool.ts";
import { Answer } from "../../../src/agent/turn/answer.ts";
import { ItemIds } from "../../../src/agent/turn/item-ids.ts";
import type { TurnEvent } from "../../../src/agent/turn-event.ts";

/** With a copy for each it would take minutes. */
const PARTS = 100_000;

it("takes a summary of very many parts soon, and tells it as it was at its start and at its end", {
  timeout: 30_000,
}, () => {
  const told: TurnEvent[] = [];
  const port = { emit: (...events: TurnEvent[]) => void told.push(...events) };
  const answer = new Answer({ port, now: () => 0 } as unknown as ToolContext, new ItemIds([]));
  for (let index = 0; index < PARTS; index += 1) {
    answer.take({ kind: "reasoning", itemId: "r", part: "summary", index, delta: "x" });
  }
  answer.close();
  expect(told.at(0)).toMatchObject({ kind: "itemStarted", item: { summary: [], content: [] } });
  const summary = Array.from({ length: PARTS }, () => "x");
  expect(told.at(-1)).toMatchObject({ kind: "itemCompleted", item: { summary, content: [] } });
});

it("ends where it has more messages than anybody reads, and keeps those before", () => {
  const told: TurnEvent[] = [];
  const port = { emit: (...events: TurnEvent[]) => void told.push(...events) };
  const answer = new Answer({ port, now: () => 0 } as unknown as ToolContext, new ItemIds([]));
  const say = (count: number) => {
    for (let one = 0; one < count; one += 1) {
      const kind = one % 2 === 0 ? "text" : "reasoning";
      const more = { part: "summary", index: 0, delta: "x" } as const;
      answer.take({ kind, itemId: `m${one}`, ...more });
    }
  };
  expect(() => say(PARTS)).toThrow("it is too long, expected at most");
  answer.close();
  expect(told.filter(({ kind }) => kind === "itemCompleted")).toHaveLength(1024);
});
