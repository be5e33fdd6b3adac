/** The compiler is the test here: an unused `@ts-expect-error` fails `tsc`. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Client, type Handlers, method, notification } from "../../../src/rpc/index.ts";

const things = {
  add: method("thing/add", {
    summary: "Add",
    params: z.object({ name: z.string(), size: z.int().default(1) }),
    result: z.object({ id: z.string() }),
  }),
  list: method("thing/list", { summary: "List", result: z.array(z.string()) }),
  added: notification("thing/added", { summary: "Told", params: z.object({ id: z.string() }) }),
};
const tree = { things };

type Context = { readonly user: string };

const complete: Handlers<typeof things, Context> = {
  add: ({ name, size }, { user }, { signal }) => ({
    id: `${name}${size.toFixed()}${user}${signal.aborted}`,
  }),
  list: async () => [],
  added: ({ id }) => void id,
};

// @ts-expect-error: `list` is missing
const missing: Handlers<typeof things, Context> = { add: complete.add, added: complete.added };

// @ts-expect-error: `drop` is not declared
const extra: Handlers<typeof things, Context> = { ...complete, drop: () => {} };

const mistyped: Handlers<typeof things, Context> = {
  ...complete,
  // @ts-expect-error: `id` is a string
  add: () => ({ id: 5 }),
};

const wrongParams: Handlers<typeof things, Context> = {
  ...complete,
  // @ts-expect-error: the params have no `nome`
  add: ({ nome }) => ({ id: nome }),
};

const nested: Handlers<typeof tree, Context> = { things: complete };
// @ts-expect-error: the group is missing
const nestedMissing: Handlers<typeof tree, Context> = {};

function calls(client: Client<typeof tree>) {
  const added: Promise<{ id: string }> = client.things.add({ name: "a" });
  const listed: Promise<string[]> = client.things.list();
  const told: Promise<void> = client.things.added({ id: "1" });
  // @ts-expect-error: `name` is required
  void client.things.add({});
  // @ts-expect-error: `size` is a number
  void client.things.add({ name: "a", size: "1" });
  // @ts-expect-error: not declared
  void client.things.drop();
  // @ts-expect-error: params are required
  void client.things.added();
  return { added, listed, told };
}

describe("Handlers", () => {
  it("is checked by the compiler", () => {
    const all = [complete, missing, extra, mistyped, wrongParams, nested, nestedMissing, calls];
    expect(all).toHaveLength(8);
  });
});
