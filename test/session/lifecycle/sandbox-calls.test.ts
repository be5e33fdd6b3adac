import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { PathUri } from "../../../src/policy/index.ts";
import { LiveWork } from "../../../src/session/lifecycle/live-work.ts";
import { SandboxCalls } from "../../../src/session/lifecycle/sandbox-calls.ts";
import { SandboxHolder } from "../../../src/session/lifecycle/sandbox-holder.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { FakeProvider, intentOf } from "../support/fake-provider.ts";
import { NEVER, RANK } from "../support/session-lab.ts";

function sandboxCalls(): SandboxCalls {
  const clock = new FakeClock();
  const options = {
    ...{ provider: new FakeProvider(), clock, thread: "thread-1", intent: intentOf(RANK) },
    ...{
      workspace: PathUri.parse("file:///work"),
      remembered: undefined,
      onReference: async () => {},
    },
  };
  const quiet = { onQuiet: () => {}, onIdle: () => {}, onBeat: () => {} };
  return new SandboxCalls({
    holder: new SandboxHolder(options, clock),
    work: new LiveWork({ clock, idleMs: 0, beatMs: 0, ...quiet }),
    keepaliveMs: 0,
  });
}

it("holds nothing of a change that is over, however many come behind it", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const calls = sandboxCalls();
  const change = async () =>
    new WeakRef(await calls.change({ by: "write_file", signal: NEVER }, async () => ({})));
  const first = await change();
  await change();
  await change();
  const isGone = () => {
    collect();
    return first.deref() === undefined;
  };
  await expect.poll(isGone).toBe(true);
});
