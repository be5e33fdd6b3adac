import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRouter, type Handlers, method, notification } from "../../src/rpc/index.ts";

const add = method("thing/add", { summary: "Add", result: z.null() });
const added = notification("thing/added", { summary: "Added" });
const things = { add, added };
const handlers: Handlers<typeof things, undefined> = { add: () => null, added() {} };

describe("createRouter", () => {
  it("finds a declaration by its name and kind", () => {
    const router = createRouter<typeof things, undefined>({ methods: things, handlers });
    expect(router.methods).toEqual(["thing/add"]);
    expect(router.find("request", "thing/add")?.declaration).toBe(add);
    expect(router.find("notification", "thing/add")).toBeUndefined();
    expect(router.find("notification", "thing/added")?.declaration).toBe(added);
  });

  it("refuses a handler that nothing declares, in any group", () => {
    const extra = { ...handlers, drop: () => null };
    const flat = () => createRouter<typeof things, undefined>({ methods: things, handlers: extra });
    expect(flat).toThrow('Cannot route "drop": it is not declared');
    const methods = { things };
    const deep = { things: extra };
    const grouped = () => createRouter<typeof methods, undefined>({ methods, handlers: deep });
    expect(grouped).toThrow('Cannot route "drop": it is not declared');
  });

  it("takes handlers that are methods of an object with state", () => {
    class Things {
      readonly names: string[] = [];
      add() {
        this.names.push("one");
        return null;
      }
      added() {}
    }
    const state = new Things();
    const router = createRouter<typeof things, undefined>({ methods: things, handlers: state });
    const call = { method: "thing/add", signal: new AbortController().signal };
    router.find("request", "thing/add")?.handle(undefined, undefined, call);
    expect(state.names).toEqual(["one"]);
  });

  it.each([
    ["request", method("thing/add", { summary: "Again", result: z.null() })],
    ["notification", notification("thing/add", { summary: "Again" })],
  ] as const)("refuses a second declaration of one wire name, a %s", (_, again) => {
    const methods = { add, again };
    const start = () =>
      createRouter<typeof methods, undefined>({
        methods,
        handlers: { add: () => null, again: () => null } as never,
      });
    expect(start).toThrow('Cannot route "thing/add": it is declared twice, expected once');
  });
});
