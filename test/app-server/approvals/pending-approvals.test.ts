/** Questions and who answers them, with connections that a test answers for. */
import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, ApprovalQuestion } from "../../../src/agent/index.ts";
import { AppConnection } from "../../../src/app-server/app-connection.ts";
import { PendingApprovals } from "../../../src/app-server/approvals/pending-approvals.ts";
import { Subscribers } from "../../../src/app-server/threads/subscribers.ts";
import { type Peer, RpcError, RpcFailure } from "../../../src/rpc/index.ts";

interface Asked {
  readonly id: number | undefined;
  readonly params: unknown;
  readonly signal: AbortSignal | undefined;
  readonly answer: (decision: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** A client, and what it was asked and told. */
class Client {
  readonly asked: Asked[] = [];
  readonly told: unknown[] = [];
  readonly leave: () => void;
  readonly connection: AppConnection;

  constructor() {
    const { promise: closed, resolve } = Promise.withResolvers<"other">();
    this.leave = () => resolve("other");
    const peer = {
      closed,
      notify: async (_: unknown, params: unknown) => void this.told.push(params),
      call: (_: unknown, params: unknown, options: { id?: number; signal?: AbortSignal }) =>
        this.#called(params, options),
    };
    this.connection = new AppConnection(peer as unknown as Peer);
    const client = { name: "test", version: "1", experimental: true, optedOut: new Set<string>() };
    this.connection.initialize(client);
  }

  #called(params: unknown, { id, signal }: { id?: number; signal?: AbortSignal }) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    signal?.addEventListener("abort", () => reject(new RpcFailure("cancelled", "given up")));
    this.asked.push({
      ...{ id, params, signal },
      answer: (decision) => resolve({ decision }),
      fail: reject,
    });
    return promise;
  }
}

const QUESTION: ApprovalQuestion = {
  kind: "command",
  itemId: "item-1",
  approvalId: null,
  argv: ["/bin/true"],
  command: "/bin/true",
  cwd: "/srv",
  reason: null,
  escalates: true,
  subject: "subject-1",
};

function open(clients: readonly Client[]) {
  const subscribers = new Subscribers((one) => approvals.drop(one));
  const sizes: number[] = [];
  let ids = 0;
  const approvals: PendingApprovals = new PendingApprovals({
    subscribers,
    nextId: () => ids++,
    changed: () => void sizes.push(approvals.size),
  });
  for (const { connection } of clients) subscribers.add(connection);
  const stop = new AbortController();
  const ask = (): Promise<ApprovalAnswer> =>
    approvals.ask(QUESTION, {
      ...{ thread: "thread-1", turn: "turn-1", environment: "local", atMs: 1 },
      signal: stop.signal,
    });
  return { approvals, subscribers, sizes, stop, ask };
}

const settled = () => new Promise<void>((next) => setImmediate(next));
const RESOLVED = { threadId: "thread-1", requestId: 0 };

describe("a question", () => {
  it.each<ApprovalAnswer>(["accept", "acceptForSession", "decline", "cancel"])(
    "has the answer that was given: %s",
    async (decision) => {
      const client = new Client();
      const { ask, sizes } = open([client]);
      const asking = ask();
      client.asked[0]?.answer(decision);
      expect(await asking).toBe(decision);
      expect(sizes).toEqual([1, 0]);
      expect(client.told).toEqual([RESOLVED]);
    },
  );

  it.each([undefined, null, "", "yes", "Accept", true, ["accept"], { accept: {} }, "toString"])(
    "G05 is refused by an answer that was not offered: %j",
    async (decision) => {
      const client = new Client();
      const { ask, approvals } = open([client]);
      const asking = ask();
      client.asked[0]?.answer(decision);
      await expect(asking).rejects.toThrow("none of those that were offered");
      expect(approvals.size).toBe(0);
    },
  );

  it.each([
    new RpcError("notFound", "no such method"),
    new RpcFailure("badReply", "no result"),
    new RpcFailure("timedOut", "no answer came in time"),
    new Error("accept"),
  ])("G05 is refused by an answer that is none: %s", async (error) => {
    const client = new Client();
    const { ask } = open([client]);
    const asking = ask();
    client.asked[0]?.fail(error);
    await expect(asking).rejects.toThrow("the answer was no answer");
  });

  it("N16 goes to all under one id, and only the first answer counts", async () => {
    const [one, two] = [new Client(), new Client()];
    const { ask } = open([one, two]);
    const asking = ask();
    expect([...one.asked, ...two.asked].map(({ id }) => id)).toEqual([0, 0]);
    expect(two.asked[0]?.params).toEqual(one.asked[0]?.params);
    two.asked[0]?.answer("decline");
    one.asked[0]?.answer("accept");
    expect(await asking).toBe("decline");
    expect(one.asked[0]?.signal?.aborted).toBe(true);
    expect([one.told, two.told]).toEqual([[RESOLVED], [RESOLVED]]);
  });

  it("N17 waits for somebody where nobody follows, and is put to who comes", async () => {
    const { ask, subscribers, approvals } = open([]);
    const asking = ask();
    await settled();
    expect(approvals.size).toBe(1);
    const late = new Client();
    subscribers.add(late.connection);
    approvals.replay(late.connection);
    expect(late.asked.map(({ id }) => id)).toEqual([0]);
    late.asked[0]?.answer("accept");
    expect(await asking).toBe("accept");
  });

  it("outlives the connection that was asked", async () => {
    const client = new Client();
    const { ask, approvals } = open([client]);
    const asking = ask();
    client.leave();
    client.asked[0]?.fail(new RpcFailure("closed", "the connection is over"));
    await settled();
    expect(approvals.size).toBe(1);
    void asking.catch(() => {});
  });

  it("N01 takes nothing from who follows no more", async () => {
    const client = new Client();
    const { ask, subscribers, approvals } = open([client]);
    const asking = ask();
    subscribers.remove(client.connection);
    client.asked[0]?.answer("accept");
    await settled();
    expect(approvals.size).toBe(1);
    void asking.catch(() => {});
  });

  it("N01 is not put to who does not follow", async () => {
    const { ask, approvals } = open([]);
    void ask().catch(() => {});
    const stranger = new Client();
    approvals.replay(stranger.connection);
    expect(stranger.asked).toEqual([]);
  });

  it("is put once to who follows, and once more to who left and came back", async () => {
    const client = new Client();
    const { ask, subscribers, approvals } = open([client]);
    const asking = ask();
    approvals.replay(client.connection);
    expect(client.asked).toHaveLength(1);
    subscribers.remove(client.connection);
    subscribers.add(client.connection);
    approvals.replay(client.connection);
    await settled();
    approvals.replay(client.connection);
    expect(client.asked.map(({ id }) => id)).toEqual([0, 0]);
    client.asked[0]?.answer("accept");
    await settled();
    expect(approvals.size).toBe(1);
    client.asked[1]?.answer("decline");
    expect(await asking).toBe("decline");
  });

  it("N18 is cancelled when the turn is stopped, and an answer after that is none", async () => {
    const client = new Client();
    const { ask, stop, sizes } = open([client]);
    const asking = ask();
    stop.abort();
    client.asked[0]?.answer("accept");
    expect(await asking).toBe("cancel");
    expect(client.told).toEqual([RESOLVED]);
    expect(sizes).toEqual([1, 0]);
  });

  it("is not put at all in a turn that is stopped", async () => {
    const client = new Client();
    const { ask, stop } = open([client]);
    stop.abort();
    expect(await ask()).toBe("cancel");
    expect([client.asked, client.told]).toEqual([[], []]);
  });

  it("does not have the answer of another that is open", async () => {
    const client = new Client();
    const { ask, approvals } = open([client]);
    const [first, second] = [ask(), ask()];
    expect(client.asked.map(({ id }) => id)).toEqual([0, 1]);
    client.asked[1]?.answer("accept");
    expect(await second).toBe("accept");
    expect(approvals.size).toBe(1);
    client.asked[0]?.answer("decline");
    expect(await first).toBe("decline");
  });
});
