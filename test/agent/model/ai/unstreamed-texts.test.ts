import { afterEach, describe, expect, it } from "vitest";
import { ask, collect } from "./support/ask.ts";
import { answers, type Provider, says, startProvider } from "./support/responses-server.ts";

let provider: Provider;
afterEach(() => provider.close());

const [ADDED, PIECE, DONE] = says("msg_1", "Hello") as [Part, Part, Part];
type Part = ReturnType<typeof says>[number];
const TEXT_DONE = {
  ...{ type: "response.output_text.done", item_id: "msg_1", text: "Hello" },
  ...{ output_index: 0, content_index: 0 },
};

async function textsOf(...parts: readonly Part[]) {
  provider = await startProvider(answers(parts));
  const { events, error } = await collect(ask(provider.baseUrl));
  expect(error).toBeUndefined();
  return events.flatMap((event) => (event.kind === "text" ? [[event.itemId, event.delta]] : []));
}

describe("a text of the Responses API", () => {
  it.each([
    ["in the end of its item", [DONE]],
    ["in the end of an item that was begun", [ADDED, DONE]],
    ["in the end of its text", [ADDED, TEXT_DONE]],
    ["in both ends", [ADDED, TEXT_DONE, DONE]],
    ["in pieces and both ends", [ADDED, PIECE, TEXT_DONE, DONE]],
    [
      "in pieces under one name and whole under another",
      [ADDED, PIECE, { ...DONE, item: { ...Object(DONE.item), id: "msg_9" } }],
    ],
    ["in pieces without a place", [ADDED, { ...PIECE, output_index: undefined }, TEXT_DONE, DONE]],
  ])("is told once where it comes %s", async (_, parts) => {
    expect(await textsOf(...parts)).toEqual([["msg_1", "Hello"]]);
  });

  it("is told in all its parts, and of each item", async () => {
    const second = { ...TEXT_DONE, content_index: 1, text: " world" };
    const item = { type: "message", id: "msg_2", content: [{ type: "refusal", refusal: "No." }] };
    const other = { type: "response.output_item.done", output_index: 1, item };
    expect(await textsOf(ADDED, TEXT_DONE, second, DONE, other)).toEqual([
      ["msg_1", "Hello"],
      ["msg_1", " world"],
      ["msg_2", "No."],
    ]);
  });

  it("is told in the part that comes whole behind one that came in pieces", async () => {
    const second = { ...TEXT_DONE, content_index: 1, text: " world" };
    const texts = ["Hello", " world"].map((text) => ({ type: "output_text", text }));
    const done = { ...DONE, item: { ...Object(DONE.item), content: texts } };
    for (const ends of [[done], [TEXT_DONE, second, done]]) {
      expect(await textsOf(ADDED, PIECE, ...ends)).toEqual([
        ["msg_1", "Hello"],
        ["msg_1", " world"],
      ]);
    }
  });

  it("is not told again where its end says it in other words", async () => {
    const content = [{ type: "output_text", text: "Hallo, world" }];
    const done = { ...DONE, item: { ...Object(DONE.item), content } };
    expect(await textsOf(ADDED, PIECE, done)).toEqual([["msg_1", "Hello"]]);
  });

  it.each([null, "x", {}, { type: "message" }, { type: "message", id: "m", content: [null, 1] }])(
    "is none in an item that is %j",
    async (item) => {
      provider = await startProvider(
        answers([{ type: "response.output_item.done", output_index: 0, item }]),
      );
      const { events } = await collect(ask(provider.baseUrl));
      expect(events.filter(({ kind }) => kind === "text")).toEqual([]);
    },
  );
});
