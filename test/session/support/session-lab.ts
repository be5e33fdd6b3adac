/** A session on a fake provider, with everything that can be seen of it. */
import { PathUri } from "../../../src/policy/index.ts";
import type { SessionEvent } from "../../../src/session/session-event.ts";
import type { RememberedSession, SessionOptions } from "../../../src/session/session-options.ts";
import { ThreadSession } from "../../../src/session/thread-session.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeProvider, intentOf } from "./fake-provider.ts";

export interface SessionLab {
  readonly session: ThreadSession;
  readonly provider: FakeProvider;
  readonly clock: FakeClock;
  readonly events: SessionEvent[];
  /** What the keeper of references was told. */
  readonly told: (RememberedSession | null)[];
  /** Runs a tool. */
  tool(
    name: string,
    input: unknown,
    signal?: AbortSignal,
  ): ReturnType<ThreadSession["tools"]["execute"]>;
  /** Runs a command line with the tool for it; its result. */
  bash(command: string, signal?: AbortSignal): Promise<Record<string, unknown>>;
}

export const NEVER = new AbortController().signal;

/** The rank of the policy that a lab begins with. */
export const RANK = 5;

export function sessionLab(
  options: Partial<SessionOptions> = {},
  provider = new FakeProvider(),
): SessionLab {
  const clock = new FakeClock();
  const events: SessionEvent[] = [];
  const told: (RememberedSession | null)[] = [];
  const session = new ThreadSession({
    ...{ provider, clock, thread: "thread-1", intent: intentOf(RANK), remembered: undefined },
    workspace: PathUri.parse("file:///work"),
    onReference: async (remembered) => void told.push(remembered),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const tool: SessionLab["tool"] = (name, input, signal = NEVER) =>
    session.tools.execute({ tool: name, input, signal });
  const bash: SessionLab["bash"] = async (command, signal) => ({
    ...(await tool("bash", { command }, signal)).value,
  });
  return { session, provider, clock, events, told, tool, bash };
}

/** What an earlier turn left: a sandbox and its reference. */
export function earlier(provider: FakeProvider, rank = RANK): RememberedSession {
  const intent = intentOf(rank);
  const { id, boundDigest } = provider.put("sbx_old", intent);
  const reference = { id, boundDigest, generation: 3, dependencies: null };
  return { reference, base: intent };
}
