import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { campaign } from "../../support/campaign.ts";
import { settle } from "../support/fake-clock.ts";
import { intentOf, over } from "../support/fake-provider.ts";
import { type SessionLab, sessionLab } from "../support/session-lab.ts";

/** Things that happen to a session, in any order and at any time. */
const STEPS = [
  ...(["bash", "bash", "bash", "bashCancelled", "write", "background", "kill", "settle"] as const),
  ...(["pass", "narrow", "wide", "release", "failCreate", "failProbe", "overProbe"] as const),
  ...(["failStop", "failExtend", "failTell", "die", "overRun", "slow", "end"] as const),
];
type Step = (typeof STEPS)[number];

interface World extends SessionLab {
  number: number;
  failTell: boolean;
  readonly pending: { push(call: Promise<unknown>): void };
  /** What calls failed with. */
  readonly errors: Promise<unknown>[];
}

const STORE_DOWN = new Error("store is down");

function aWorld(): World {
  const state = { failTell: false };
  const lab = sessionLab({
    ...{ keepaliveMs: 4000, idleMs: 10_000 },
    onReference: async () => {
      if (!state.failTell) return;
      state.failTell = false;
      throw STORE_DOWN;
    },
  });
  const errors: Promise<unknown>[] = [];
  const push = (call: Promise<unknown>) =>
    void errors.push(
      call.then(
        () => STORE_DOWN,
        (error: unknown) => error,
      ),
    );
  return Object.assign(state, lab, { number: 0, errors, pending: { push } });
}

const DO: Record<Step, (world: World) => unknown> = {
  bash: (world) => void world.pending.push(world.bash(`run ${++world.number}`)),
  bashCancelled: (world) => {
    const cancel = new AbortController();
    world.pending.push(world.bash(`run ${++world.number}`, cancel.signal));
    return settle().then(() => cancel.abort());
  },
  write: ({ pending, tool }) => void pending.push(tool("writeFile", { path: "a", content: "a" })),
  background: (world) => {
    const { session, pending } = world;
    const argv = ["bash", "-c", `run ${++world.number}`] as const;
    const signal = AbortSignal.timeout(60_000);
    const name = `p${world.number}`;
    pending.push(session.startBackground({ name, by: "test", argv, signal }));
  },
  kill: ({ session, pending }) => {
    for (const { name } of session.background()) pending.push(session.killBackground(name));
  },
  settle: () => settle(),
  pass: ({ clock }) => clock.pass(7000),
  narrow: ({ session }) => session.useIntent(intentOf(1)),
  wide: ({ session }) => session.useIntent(intentOf(9)),
  release: ({ session, pending }) => void pending.push(session.release()),
  failCreate: ({ provider }) => provider.faults.create.push(new Error("no")),
  failProbe: ({ provider }) => provider.made.at(-1)?.faults.probe.push(new Error("500")),
  overProbe: ({ provider }) => provider.made.at(-1)?.faults.probe.push(over()),
  failStop: ({ provider }) => provider.made.at(-1)?.faults.stop.push(new Error("busy")),
  failExtend: ({ provider }) => provider.made.at(-1)?.faults.extend.push(over()),
  failTell: (world) => {
    world.failTell = true;
  },
  die: ({ provider }) => provider.made.at(-1)?.die(),
  overRun: ({ provider }) => provider.made.at(-1)?.faults.run.push(over()),
  slow: ({ provider }) => {
    provider.onCreate = (sandbox) => {
      sandbox.script = () => ({ exitCode: null });
    };
  },
  end: ({ provider }) => {
    for (const { running } of provider.made) for (const command of running) command.end(0);
  },
};

/** Faults are used up one by one, so that it succeeds in the end. */
async function disposed(session: SessionLab["session"], attempts = 30): Promise<void> {
  await session.dispose().catch((error: unknown) => {
    if (attempts === 0) throw error;
    return disposed(session, attempts - 1);
  });
}

async function play(steps: readonly Step[]): Promise<World> {
  const world = aWorld();
  for (const step of steps) await DO[step](world);
  DO.end(world);
  await disposed(world.session);
  await world.clock.pass(400_000);
  const errors = await Promise.all(world.errors);
  const strange = errors.filter((one) => one !== STORE_DOWN && !(one instanceof SessionError));
  expect(strange).toEqual([]);
  return world;
}

describe("whatever happens to a session", () => {
  it("no command runs twice, and nothing is left that nobody knows of", async () => {
    const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        const { provider, session, clock } = await play(played);
        const ran = provider.made.flatMap(({ commands }) => commands.map(({ argv }) => argv[2]));
        expect(new Set(ran).size).toBe(ran.length);
        const unended = provider.made.filter(({ isDead, stops }) => !isDead && stops === 0);
        // One that was released is left to a later turn, which finds it.
        const leaked = unended.filter(({ id }) => id !== session.reference()?.id);
        expect(leaked.map(({ id }) => id)).toEqual([]);
        expect(session.state).toBe("gone");
        expect(session.liveWork).toEqual({ call: 0, background: 0 });
        expect(clock.waiting).toBe(0);
      }),
      campaign(2000),
    );
  });
});
