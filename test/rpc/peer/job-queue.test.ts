import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Schedule } from "../../../src/rpc/index.ts";
import { JobQueue } from "../../../src/rpc/peer/job-queue.ts";
import { campaign } from "../../support/campaign.ts";
import { turn } from "../support/raw-wire.ts";

interface Planned {
  readonly lane: "work" | "steer";
  readonly key: string | undefined;
  readonly turns: number;
}

const planned: fc.Arbitrary<Planned> = fc.record({
  lane: fc.constantFrom("work", "steer"),
  key: fc.constantFrom("a", "b", "c", undefined),
  turns: fc.nat(3),
});

const concurrent = (limit: number): Schedule => ({
  kind: "concurrent",
  limit,
  keyOf: (_, key) => key as string | undefined,
  control: { methods: new Set(["steer"]), limit: 1 },
});

/** Adds jobs to a queue and records what was at work together and in which order it ended. */
class Probe {
  readonly ended: { readonly key: string; readonly index: number }[] = [];
  readonly clashes: string[] = [];
  readonly most = { work: 0, steer: 0 };
  readonly idle = Promise.withResolvers<void>();
  readonly queue: JobQueue;
  readonly #now = { work: 0, steer: 0 };
  readonly #keys = new Set<string>();

  constructor(total: number) {
    const idle = () => {
      if (this.ended.length === total) this.idle.resolve();
    };
    this.queue = new JobQueue({ left() {}, idle });
  }

  add({ lane, key, turns }: Planned, index: number): void {
    // The control lane knows no keys.
    const held = lane === "work" && key !== undefined ? key : `none ${index}`;
    this.queue.add({
      method: lane,
      params: key,
      length: 0,
      run: () => this.#run(lane, held, { turns, index }),
    });
  }

  inOrder(key: string): boolean {
    const order = this.ended.filter((one) => one.key === key).map(({ index }) => index);
    return order.every((index, at) => at === 0 || index > (order[at - 1] ?? 0));
  }

  async #run(
    lane: Planned["lane"],
    key: string,
    { turns, index }: { turns: number; index: number },
  ) {
    if (this.#keys.has(key)) this.clashes.push(key);
    this.#keys.add(key);
    this.#now[lane] += 1;
    this.most[lane] = Math.max(this.most[lane], this.#now[lane]);
    for (let n = 0; n < turns; n += 1) await turn();
    this.#now[lane] -= 1;
    this.#keys.delete(key);
    this.ended.push({ key, index });
  }
}

describe("JobQueue", () => {
  it("keeps each key's order and every limit under random delays", async () => {
    const jobs = fc.array(planned, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        jobs,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(40),
        async (list, limit, change) => {
          const probe = new Probe(list.length);
          probe.queue.use(concurrent(limit));
          list.forEach((job, index) => {
            if (index === change) probe.queue.use(concurrent(limit));
            probe.add(job, index);
          });
          await probe.idle.promise;
          expect(probe.clashes).toEqual([]);
          expect(probe.most.work).toBeLessThanOrEqual(limit);
          expect(probe.most.steer).toBeLessThanOrEqual(1);
          expect(["a", "b", "c"].every((key) => probe.inOrder(key))).toBe(true);
        },
      ),
      campaign(1_000),
    );
  });

  it("keeps a key's order across a change from sequential to concurrent", async () => {
    const jobs = fc.array(planned, { minLength: 2, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(jobs, fc.nat(20), async (list, change) => {
        const probe = new Probe(list.length);
        list.forEach((job, index) => {
          if (index === change) probe.queue.use(concurrent(4));
          probe.add({ ...job, lane: "work" }, index);
        });
        await probe.idle.promise;
        expect(probe.clashes).toEqual([]);
        expect(["a", "b", "c"].every((key) => probe.inOrder(key))).toBe(true);
      }),
      campaign(1_000),
    );
  });

  it.each(["in one order", "behind one key"])(
    "takes no longer for a job the more there are %s",
    { timeout: 10_000 },
    async (order) => {
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      const first = Promise.withResolvers<void>();
      const queue = new JobQueue({ left() {}, idle: resolve });
      if (order === "behind one key") {
        queue.use({ kind: "concurrent", limit: 4, keyOf: () => "a" });
      }
      let ran = 0;
      const run = async () => {
        ran += 1;
      };
      queue.add({ method: "work", length: 1, run: () => first.promise });
      for (let count = 0; count < 200_000; count++) queue.add({ method: "work", length: 1, run });
      first.resolve();
      await idle;
      expect(ran).toBe(200_000);
    },
  );
});
