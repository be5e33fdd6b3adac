import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createRouter,
  declarationsOf,
  method,
  notification,
  protocol,
} from "../../../src/rpc/index.ts";

const ping = method("ping", { summary: "Ping", result: z.null() });

describe("protocol", () => {
  it("refuses a name that is declared twice in one direction", () => {
    const declare = () =>
      protocol({ name: "p", summary: "", toServer: { a: { ping }, b: { ping } }, toClient: {} });
    expect(declare).toThrow('Cannot declare "p": the method "ping" is declared twice');
  });

  it("lets both directions use one name", () => {
    const both = protocol({ name: "p", summary: "", toServer: { ping }, toClient: { ping } });
    expect(declarationsOf(both.toClient)).toEqual([ping]);
  });

  it("lists declarations in the order they are written, groups included", () => {
    const told = notification("told", { summary: "Told" });
    const names = declarationsOf({ a: { b: { ping }, told } }).map(({ name }) => name);
    expect(names).toEqual(["ping", "told"]);
  });

  it("tells a group with a member called kind from a declaration", () => {
    expect(declarationsOf({ group: { kind: ping } })).toEqual([ping]);
  });
});

describe("createRouter", () => {
  it("refuses a tree whose handler is missing, whatever the types were told", () => {
    const route = () => createRouter({ methods: { ping }, handlers: {} as never });
    expect(route).toThrow('Cannot route "ping": there is no handler');
  });

  it("keeps a request and a notification of one name apart", () => {
    const told = notification("ping", { summary: "Told" });
    const router = createRouter({ methods: { ping }, handlers: { ping: () => null } });
    expect(router.find("notification", told.name)).toBeUndefined();
    expect(router.methods).toEqual(["ping"]);
  });
});
