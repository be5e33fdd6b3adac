/** Threads that are on record, on real sandboxes: found again by the next turn, listed for people. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { Executor } from "../../../src/exec/index.ts";
import { parseAbsolutePath, uriOfNative } from "../../../src/policy/index.ts";
import {
  createLocalProvider,
  KeptThreadSession,
  openSessionStore,
  type SandboxProvider,
  type SessionEvent,
  type SessionStore,
} from "../../../src/session/index.ts";
import { contractPlace } from "../../exec/contract/support/contract-place.ts";
import { localExecutor } from "../../exec/contract/support/our-executors.ts";
import { intentIn, NEVER } from "../../session/provider/support/sandbox-of.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Lab {
  readonly executor: Executor;
  readonly store: SessionStore;
  readonly events: SessionEvent[];
  turn(thread?: string): KeptThreadSession;
}

function lab(): Lab {
  const { workspace } = contractPlace();
  const { executor } = localExecutor();
  const store = openSessionStore(parseAbsolutePath(temporaryFolder()));
  onTestFinished(() => store.close());
  const provider: SandboxProvider = createLocalProvider({ executor });
  const events: SessionEvent[] = [];
  const turn = (thread = "thread-1") =>
    new KeptThreadSession({
      ...{ store, provider, thread, intent: intentIn(workspace) },
      workspace: uriOfNative(workspace),
      onEvent: (event) => void events.push(event),
    });
  return { executor, store, events, turn };
}

const bash = async (session: KeptThreadSession, command: string) => {
  const { value } = await session.tools.execute({
    tool: "bash",
    input: { command },
    signal: NEVER,
  });
  return value as { stdout: string };
};

describe("a session that is on record", () => {
  it("case 9: a turn without a tool leaves what is kept as it was, and boots nothing", async () => {
    const { store, turn, executor, events } = lab();
    await turn().release();
    expect(store.get("thread-1")).toBeUndefined();
    const first = turn();
    await bash(first, "true");
    await first.release();
    const kept = store.get("thread-1");
    await turn().release();
    expect(store.get("thread-1")).toEqual(kept);
    expect(await executor.anchors?.list()).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === "acquired")).toHaveLength(1);
  });

  it("is found by the next turn with its home and its loopback, and listed meanwhile", async () => {
    const { store, turn, events } = lab();
    const first = turn();
    await bash(first, "echo from the first turn > ~/note");
    expect(store.get("thread-1")).toMatchObject({ provider: "local", generation: 1 });
    await first.release();
    expect(store.list()).toMatchObject([{ thread: "thread-1", state: "idle", liveWork: 0 }]);
    const second = turn();
    expect((await bash(second, "cat ~/note")).stdout).toContain("from the first turn");
    await second.dispose();
    expect(store.get("thread-1")).toBeNull();
    const origins = events.flatMap((event) => (event.kind === "acquired" ? event.origin : []));
    expect([...new Set(origins)]).toEqual(["fresh", "reused"]);
  });

  it("refuses a second sandbox of a thread that has one, and leaves none", async () => {
    const { store, turn, executor } = lab();
    const [one, other] = [turn(), turn()];
    onTestFinished(() => one.dispose());
    await bash(one, "true");
    const kept = store.get("thread-1");
    await expect(bash(other, "true")).rejects.toThrow();
    await other.dispose().catch(() => {});
    expect(store.get("thread-1")).toMatchObject({ id: kept?.id });
    expect(await executor.anchors?.list()).toHaveLength(1);
  });

  it("counts on where an earlier one ended, also when the thread has none any more", async () => {
    const { store, turn, executor } = lab();
    const first = turn();
    await bash(first, "true");
    const [anchor] = (await executor.anchors?.list()) ?? [];
    await executor.anchors?.close(anchor?.anchorId ?? "");
    await bash(first, "true");
    expect(store.get("thread-1")).toMatchObject({ generation: 2 });
    await first.dispose();
    expect(store.get("thread-1")).toBeNull();
    const second = turn();
    onTestFinished(() => second.dispose());
    await bash(second, "true");
    expect(store.get("thread-1")).toMatchObject({ generation: 3 });
  });

  it("says while a process goes on in the background that there is work", async () => {
    const { store, turn } = lab();
    const session = turn();
    onTestFinished(() => session.dispose());
    const argv = ["/bin/sleep", "30"] as const;
    await session.startBackground({ name: "server", by: "test", signal: NEVER, argv });
    await expect.poll(() => store.get("thread-1")?.liveWork).toBe(1);
    await session.killBackground("server");
    await expect.poll(() => store.get("thread-1")?.liveWork).toBe(0);
  });

  it("boots nothing that it could not put on record first", async () => {
    const { store, turn, executor } = lab();
    const session = turn();
    store.close();
    await expect(session.acquire({ by: "test", signal: NEVER })).rejects.toThrow();
    await session.dispose().catch(() => {});
    expect(await executor.anchors?.list()).toEqual([]);
  });
});

const [THREADS, TURNS] = [50, 20];

const noteOf = (thread: string) => `echo ${thread} >> ~/turns; sort -u ~/turns; wc -l < ~/turns`;

describe(`${THREADS} threads with ${TURNS} turns each at once`, () => {
  it("keep to their own sandboxes, boot one each, and leave nothing", {
    timeout: 600_000,
  }, async () => {
    const { executor, store, events, turn } = lab();
    const all = Array.from({ length: THREADS }, (_, index) => `thread-${index}`);
    const printed = await Promise.all(
      all.map(async (thread) => {
        const outputs: string[] = [];
        for (let count = 1; count <= TURNS; count += 1) {
          const session = turn(thread);
          // Every fourth turn needs the sandbox; the others only think.
          if (count % 4 === 0) outputs.push((await bash(session, noteOf(thread))).stdout);
          await (count === TURNS ? session.dispose() : session.release());
        }
        return outputs;
      }),
    );
    expect(printed).toEqual(
      all.map((thread) => Array.from({ length: TURNS / 4 }, (_, n) => `${thread}\n${n + 1}\n`)),
    );
    const fresh = events.filter((event) => event.kind === "acquired" && event.origin === "fresh");
    expect(new Set(fresh.map(({ thread }) => thread)).size).toBe(THREADS);
    expect(await executor.anchors?.list()).toEqual([]);
    expect(store.list()).toEqual([]);
  });
});
