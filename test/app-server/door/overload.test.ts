/** N20: a burst is answered, in full: each request gets a result or a refusal, and only one. */
import { describe, expect, it } from "vitest";
import type { PeerLimits, Schedule } from "../../../src/rpc/index.ts";
import { SEQUENTIAL } from "../../../src/rpc/index.ts";
import { turn } from "../../rpc/support/raw-wire.ts";
import { connectInMemory, WAYS } from "./support/connect.ts";
import { Flood } from "./support/flood.ts";
import { StandInServer, WITH_CONTROL } from "./support/stand-in-server.ts";

const OVERLOADED = '{"code":-32001,"message":"Server overloaded; retry later."}';
const ORDERS: readonly [string, Schedule][] = [
  ["one after the other", SEQUENTIAL],
  ["with a control lane", WITH_CONTROL],
];

describe.each(Object.entries(WAYS))("N20 over %s", (way, connect) => {
  // A socket file is a port by another name.
  const bursts = way === "unix" ? [4_000] : [4_000, 100_000];

  describe.each(ORDERS)("to a server that works %s", (_, schedule) => {
    const start = async () => {
      const server = new StandInServer({ schedule });
      return { server, flood: new Flood(await connect(server)) };
    };

    it.each(bursts)("answers each of %i requests once", async (count) => {
      const { flood, server } = await start();
      await flood.ask(count);
      const { twice, results, refused, errors } = await flood.answered(count);
      expect({ twice, answers: results + refused }).toEqual({ twice: 0, answers: count });
      expect([[], [OVERLOADED]]).toContainEqual(errors);
      expect(server.faults).toEqual([]);
    });

    it("takes an answer that comes behind 20,000 requests", async () => {
      const { flood } = await start();
      await flood.send({ id: "ask", method: "ask", params: { text: "may I" } });
      const { id } = await flood.question.promise;
      const asked = flood.ask(20_000);
      await flood.send({ id, result: { text: "yes" } });
      await asked;
      const { twice, results, refused, errors } = await flood.answered(20_001);
      expect({ twice, answers: results + refused }).toEqual({ twice: 0, answers: 20_001 });
      expect([[], [OVERLOADED]]).toContainEqual(errors);
    });
  });
});

describe.each(Object.entries(WAYS))(
  "N20 over %s, a client that only writes at first",
  (_, connect) => {
    it.each(ORDERS)("gets each of its 20,000 answers once it reads (%s)", async (_, schedule) => {
      const transport = await connect(new StandInServer({ schedule }));
      const flood = new Flood(transport);
      transport.pause();
      await flood.ask(20_000);
      transport.resume();
      const { twice, results, refused } = await flood.answered(20_000);
      expect({ twice, answers: results + refused }).toEqual({ twice: 0, answers: 20_000 });
    });
  },
);

describe("N20 while a question is open", () => {
  it("refuses what can neither wait nor be left unread, in the words of the protocol", async () => {
    const server = new StandInServer({ limits: { maxQueued: 4, maxQueuedUrgent: 8 } });
    const flood = new Flood(connectInMemory(server));
    await flood.send({ id: "ask", method: "ask", params: { text: "may I" } });
    const { id } = await flood.question.promise;
    await flood.ask(100);
    await flood.send({ id, result: { text: "yes" } });
    expect(await flood.answered(101)).toEqual({
      twice: 0,
      results: 9,
      refused: 92,
      errors: [OVERLOADED],
    });
  });

  it("stops reading when its refusals are not read either, and loses none", async () => {
    const limits: Partial<PeerLimits> = { maxQueuedUrgent: 8, maxUnsentReading: 64 * 1024 };
    const transport = connectInMemory(new StandInServer({ limits }));
    const flood = new Flood(transport);
    await flood.send({ id: "ask", method: "ask", params: { text: "may I" } });
    const { id } = await flood.question.promise;
    transport.pause();
    let taken = 0;
    for (let n = 0; n < 10_000; n += 1) {
      void flood.send({ id: n, method: "version" }).then(() => (taken += 1));
    }
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(taken).toBeGreaterThan(8);
    expect(taken).toBeLessThan(200);
    transport.resume();
    await flood.send({ id, result: { text: "yes" } });
    const { twice, results, refused } = await flood.answered(10_001);
    expect({ twice, answers: results + refused }).toEqual({ twice: 0, answers: 10_001 });
  });

  it("lets a control call through when every slot is taken", async () => {
    const server = new StandInServer({ schedule: WITH_CONTROL });
    const flood = new Flood(connectInMemory(server));
    for (let n = 0; n < 16; n += 1) {
      await flood.send({ id: `hold ${n}`, method: "hold", params: { text: "all" } });
    }
    await flood.ask(20_000);
    await flood.send({ id: "stop", method: "stop", params: { text: "all" } });
    const { twice, results, refused } = await flood.answered(20_017);
    expect(twice).toBe(0);
    expect({ results, refused }).toEqual({ results: 8_192 + 17, refused: 20_000 - 8_192 });
  });
});
