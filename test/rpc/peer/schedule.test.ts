import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../src/rpc/index.ts";
import { lenientDialect } from "../support/dialects.ts";
import { turn } from "../support/raw-wire.ts";
import { rawSample } from "../support/sample-protocol.ts";

const dialect = lenientDialect(() => 0);
const hold = (name: string, id: unknown = name) => ({ id, method: "hold", params: { name } });
const stop = (name: string) => ({ id: `stop ${name}`, method: "stop", params: { name } });
const control = { methods: new Set(["stop"]), limit: 2 };

/** The key is what stands before the dash: `a-1` and `a-2` keep their order. */
const keyOf = (_: string, params: unknown) => (params as { name?: string }).name?.split("-")[0];

describe("Schedule", () => {
  it("is sequential unless told otherwise: the next call begins after the last is answered", async () => {
    const { wire, server } = rawSample({ dialect });
    for (const name of ["a", "b"]) await wire.send(hold(name));
    await server.begun("a");
    await turn();
    expect(server.started).toEqual(["a"]);
    server.release("a");
    expect(await wire.next()).toMatchObject({ id: "a" });
    await server.begun("b");
  });

  it("works notifications off in wire order with the calls around them", async () => {
    const { wire, server } = rawSample({ dialect });
    await wire.send(hold("a"));
    await wire.send({ method: "note", params: { text: "after a" } });
    await server.begun("a");
    await turn();
    expect(server.notes).toEqual([]);
    server.release("a");
    await wire.next();
    await turn();
    expect(server.notes).toEqual(["after a"]);
  });

  it("runs as many calls as the limit and no more", async () => {
    const { wire, server } = rawSample({ dialect, schedule: { kind: "concurrent", limit: 2 } });
    for (const name of ["a", "b", "c"]) await wire.send(hold(name));
    await server.begun("b");
    await turn();
    expect(server.started).toEqual(["a", "b"]);
    server.release("b");
    expect(await wire.next()).toMatchObject({ id: "b" });
    await server.begun("c");
  });

  it("keeps calls of one key in order and lets other keys pass", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 8, keyOf };
    const { wire, server } = rawSample({ dialect, schedule });
    for (const name of ["x-1", "x-2", "y-1"]) await wire.send(hold(name));
    await server.begun("y-1");
    expect(server.started).toEqual(["x-1", "y-1"]);
    server.release("x-1");
    await server.begun("x-2");
  });

  it("answers the control lane while every ordinary slot hangs and more calls wait than are queued", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 4, control };
    const { wire } = rawSample({ dialect, schedule, limits: { maxQueued: 8 } });
    for (let n = 0; n < 40; n += 1) await wire.send(hold(`long ${n}`));
    for (let n = 0; n < 5; n += 1) {
      expect(await wire.ask(stop(`nobody ${n}`))).toMatchObject({ id: `stop nobody ${n}` });
    }
    expect(await wire.ask(stop("long 2"))).toMatchObject({ id: "stop long 2" });
    expect(await wire.next()).toMatchObject({ id: "long 2" });
  });

  it("answers the control lane past every bound, and refuses the ordinary calls it cannot hold", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 2, control };
    const limits = { maxQueued: 4, maxQueuedUrgent: 8 };
    const { wire, server } = rawSample({ dialect, schedule, limits });
    for (let n = 0; n < 30; n += 1) await wire.send(hold(`long ${n}`));
    for (let n = 10; n < 30; n += 1) {
      expect(await wire.next()).toMatchObject({ id: `long ${n}`, error: { code: -32001 } });
    }
    for (let n = 0; n < 10; n += 1) {
      expect(await wire.ask(stop(`nobody ${n}`))).toMatchObject({ result: {} });
    }
    for (let n = 0; n < 10; n += 1) server.release(`long ${n}`);
    for (let n = 0; n < 10; n += 1) expect(await wire.next()).toMatchObject({ result: {} });
  });

  it("holds the control lane to its own limit", async () => {
    const held = { methods: new Set(["hold"]), limit: 1 };
    const schedule: Schedule = { kind: "concurrent", limit: 1, control: held };
    const { wire, server } = rawSample({ dialect, schedule });
    for (const name of ["a", "b"]) await wire.send(hold(name));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
    expect(server.started).toEqual(["a"]);
  });

  it("stays sequential until the server changes the order, also for calls sent ahead", async () => {
    const { wire, server } = rawSample({ dialect });
    server.afterReady = { kind: "concurrent", limit: 2, control };
    for (const name of ["a", "b"]) await wire.send(hold(name));
    await wire.send({ method: "ready" });
    for (const name of ["c", "d", "e"]) await wire.send(hold(name));
    await wire.send(stop("c"));
    await server.begun("a");
    await turn();
    expect(server.started).toEqual(["a"]);
    server.release("a");
    await server.begun("b");
    await turn();
    expect(server.started).toEqual(["a", "b"]);
    server.release("b");
    await server.begun("e");
    expect(server.started).toEqual(["a", "b", "c", "d", "e"]);
    expect(server.finished).toEqual(["a", "b", "c"]);
  });

  it("goes back to one at a time", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 4 };
    const { wire, server, peer } = rawSample({ dialect, schedule });
    for (const name of ["a", "b"]) await wire.send(hold(name));
    await server.begun("b");
    peer.useSchedule({ kind: "sequential" });
    for (const name of ["c", "d"]) await wire.send(hold(name));
    server.release("a");
    await wire.next();
    expect(server.started).toEqual(["a", "b"]);
    server.release("b");
    await server.begun("c");
    await turn();
    expect(server.started).toEqual(["a", "b", "c"]);
  });

  it("returns to wire order when it goes back, wherever calls waited", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 1, keyOf };
    const { wire, server, peer } = rawSample({ dialect, schedule });
    for (const name of ["x-1", "x-2", "y-1"]) await wire.send(hold(name));
    await server.begun("x-1");
    peer.useSchedule({ kind: "sequential" });
    for (const name of ["x-1", "x-2", "y-1"]) server.release(name);
    for (const id of ["x-1", "x-2", "y-1"]) expect(await wire.next()).toMatchObject({ id });
  });

  it("takes what the key function cannot read as a call without a key, and refuses it in turn", async () => {
    const schedule: Schedule = { kind: "concurrent", limit: 1, keyOf };
    const { wire } = rawSample({ dialect, schedule });
    expect(await wire.ask({ id: 1, method: "hold" })).toMatchObject({ id: 1, error: {} });
    expect(await wire.ask({ id: 2, method: "version", params: {} })).toMatchObject({
      id: 2,
      result: {},
    });
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses the limit %d", (limit) => {
    const { peer } = rawSample();
    expect(() => peer.useSchedule({ kind: "concurrent", limit })).toThrow(
      "expected an integer from 1",
    );
    const lane = { methods: new Set<string>(), limit };
    const schedule: Schedule = { kind: "concurrent", limit: 1, control: lane };
    expect(() => peer.useSchedule(schedule)).toThrow("expected an integer from 1");
  });
});
