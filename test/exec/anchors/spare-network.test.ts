/** Networks that the test plays, on a clock that it turns. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SpareNetwork } from "../../../src/exec/anchors/spare-network.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { type NetworkAnchor, SandboxError } from "../../../src/sandbox/index.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Long enough for whatever is made in time to come. */
const LATER_MS = 10_000;

/** Makes networks, and keeps all that it made. */
function maker() {
  const made: (NetworkAnchor & { die(): void })[] = [];
  const hold = vi.fn(async () => {
    let isHeld = true;
    const die = () => {
      isHeld = false;
    };
    const network = { nsenter: parseAbsolutePath("/n"), user: "u", network: "n" };
    const identity = `1:${made.length}`;
    const one = {
      network: { ...network, identity },
      isHeld: () => isHeld,
      over: Promise.resolve(),
      close: async () => die(),
      die,
    };
    made.push(one);
    return one;
  });
  return { made, hold, networks: new SpareNetwork(hold) };
}

async function takeTwo(networks: SpareNetwork): Promise<void> {
  await networks.take();
  await networks.take();
  await vi.advanceTimersByTimeAsync(LATER_MS);
}

it("makes none ahead for whoever opens a single anchor", async () => {
  const { networks, hold } = maker();
  await networks.take();
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(hold).toHaveBeenCalledTimes(1);
});

it("makes one ahead for whoever has opened two, and not before those are on their way", async () => {
  const { networks, hold, made } = maker();
  await networks.take();
  await networks.take();
  expect(hold).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(hold).toHaveBeenCalledTimes(3);
  expect(await networks.take()).toBe(made[2]);
  expect(hold).toHaveBeenCalledTimes(3);
});

it("gives no network to two, however many ask at once", async () => {
  const { networks } = maker();
  await takeTwo(networks);
  const taken = await Promise.all([1, 2, 3, 4].map(() => networks.take()));
  expect(new Set(taken).size).toBe(4);
});

it("gives away none whose holder has died, and leaves nothing of it", async () => {
  const { networks, made } = maker();
  await takeTwo(networks);
  const [, , spare] = made;
  if (spare === undefined) throw new Error("none was made ahead");
  const close = vi.spyOn(spare, "close");
  spare.die();
  expect(await networks.take()).toBe(made[3]);
  expect(close).toHaveBeenCalled();
});

it("tells whoever needs one why it cannot be made, and nobody else", async () => {
  const { networks, hold } = maker();
  await networks.take();
  await networks.take();
  hold.mockRejectedValue(new SandboxError("backendFailed", "Cannot hold a network: none is left"));
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(hold).toHaveBeenCalledTimes(3);
  await expect(networks.take()).rejects.toThrow("none is left");
});

it("leaves none when the last one in use is gone, and makes none for one after the other", async () => {
  const { networks, made, hold } = maker();
  await takeTwo(networks);
  await networks.drop();
  expect(made[2]?.isHeld()).toBe(false);
  for (const _ of [1, 2, 3]) {
    await networks.take();
    await vi.advanceTimersByTimeAsync(LATER_MS);
    await networks.drop();
  }
  expect(hold).toHaveBeenCalledTimes(6);
});

it("leaves none when it is closed, and makes none from then on", async () => {
  const { networks, made, hold } = maker();
  await takeTwo(networks);
  await networks.close();
  expect(made[2]?.isHeld()).toBe(false);
  await networks.take();
  await vi.advanceTimersByTimeAsync(LATER_MS);
  expect(hold).toHaveBeenCalledTimes(4);
});

it("waits for one that is being made when it is closed", async () => {
  const { networks, made, hold } = maker();
  await networks.take();
  await networks.take();
  const go = Promise.withResolvers<void>();
  const plain = hold.getMockImplementation();
  hold.mockImplementationOnce(async () => {
    await go.promise;
    if (plain === undefined) throw new Error("nothing makes networks");
    return plain();
  });
  await vi.advanceTimersByTimeAsync(LATER_MS);
  const closing = networks.close();
  go.resolve();
  await closing;
  expect(made[2]?.isHeld()).toBe(false);
});
