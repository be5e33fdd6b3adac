import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { SYSTEM_CLOCK } from "../../src/session/session-clock.ts";

it.each([2 ** 31, 1e12, Number.MAX_SAFE_INTEGER])("waits %d ms, not none at all", async (ms) => {
  let called = false;
  const cancel = SYSTEM_CLOCK.after(ms, () => {
    called = true;
  });
  await sleep(20);
  cancel();
  expect(called).toBe(false);
});
