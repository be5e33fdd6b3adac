/** Malformed messages: each is refused once, nothing is started or touched by them, and the server lives on. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createExecServer,
  createLocalExecutor,
  describeEnvironment,
} from "../../../src/exec/index.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { createMemoryPair, type Transport } from "../../../src/rpc/index.ts";
import { campaign } from "../../support/campaign.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { malformedMessage, malformedRequest, paramsOf } from "./support/malformed-message.ts";
import { wireCalls } from "./support/wire-calls.ts";

interface Reply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** A client that sends texts as they are. */
class Sender {
  readonly #transport: Transport;
  #replies: Reply[] = [];
  #wake = () => {};
  isClosed = false;

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.open({
      message: (incoming) => {
        this.#replies.push(JSON.parse(incoming.kind === "text" ? incoming.text : "null"));
        this.#wake();
      },
      closed: () => {
        this.isClosed = true;
        this.#wake();
      },
    });
  }

  async open(): Promise<void> {
    await this.exchange(['{"id":0,"method":"initialize","params":{"clientName":"fuzz"}}'], 0);
    this.#send('{"method":"initialized"}');
  }

  /** All that came until the answer to a request that was sent last; calls are answered in turn. */
  ask(text: string): Promise<Reply[]> {
    return this.exchange([text, '{"id":"last","method":"environment/status"}'], "last");
  }

  async exchange(texts: readonly string[], last: unknown): Promise<Reply[]> {
    return this.collect(texts, (replies) => replies.at(-1)?.id === last);
  }

  async collect(
    texts: readonly string[],
    isAll: (replies: readonly Reply[]) => boolean,
  ): Promise<Reply[]> {
    for (const text of texts) this.#send(text);
    while (!isAll(this.#replies) && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#replies.splice(0);
  }

  #send(text: string): void {
    this.#transport.send(text).catch(() => {});
  }
}

/** A real executor that is told apart from its kernel at the last moment: what would start is counted instead. */
function fuzzed(concurrentRequests: number) {
  const workspace = temporaryFolder({ "ws/f": "content", "home/x": "" });
  const folder = path.join(workspace, "ws");
  const seen = { starts: 0, faults: [] as unknown[] };
  const host = {
    env: { PATH: "/usr/bin:/bin", HOME: path.join(workspace, "home") },
    platform: process.platform,
    own: { hidden: [], readOnly: [] },
    records: parseAbsolutePath(path.join(workspace, "records")),
    tmpdir: undefined,
    homes: [],
    externalSandbox: "absent",
    bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
  } as const;
  const receipts = {
    started: () => {
      seen.starts += 1;
      throw new Error("nothing is started here");
    },
    ended: () => {},
  };
  const server = createExecServer({
    executor: createLocalExecutor({ host, receipts }),
    description: describeEnvironment(host, { cwd: folder, allowHttp: false }),
    promise: {
      version: 1,
      executorId: "x",
      enforces: true,
      waivers: "allowed",
      signatures: "unknown",
    },
    check: () => {},
    concurrentRequests,
    receipts,
    http: { kind: "refused" },
    log: (fault) => seen.faults.push(fault),
  });
  onTestFinished(() => server.close());
  const connect = async () => {
    const [near, far] = createMemoryPair();
    server.accept(far);
    const sender = new Sender(near);
    await sender.open();
    return sender;
  };
  return { folder, seen, connect };
}

/** The others need what nobody has made: a process, a file that is open, leave of the operator. */
const DO_SOMETHING = [
  ...["process/start", "process/write", "process/signal", "process/terminate", "process/resize"],
  ...["fs/readFile", "fs/writeFile", "fs/getMetadata", "fs/canonicalize", "fs/readDirectory"],
  ...["fs/walk", "fs/remove", "fs/copy", "fs/open", "fs/readBlock", "fs/close", "fs/watchMissing"],
];

const untouched = (folder: string) => {
  expect(readdirSync(folder)).toEqual(["f"]);
  expect(readFileSync(path.join(folder, "f"), "utf8")).toBe("content");
};

describe("a malformed message", () => {
  it("is refused once, starts nothing, touches nothing and breaks nothing", async () => {
    const { folder, seen, connect } = fuzzed(1);
    let sender = await connect();
    const refusedOnce = fc.asyncProperty(malformedMessage(folder), async ({ text, deserves }) => {
      if (sender.isClosed) sender = await connect();
      const replies = await sender.ask(text);
      if (deserves === "close") {
        expect([replies, sender.isClosed]).toEqual([[], true]);
        return;
      }
      const id = deserves === "unreadable" ? -1 : JSON.parse(text).id;
      const error = expect.objectContaining({ code: expect.any(Number) });
      expect(replies).toEqual([
        { id, error },
        { id: "last", result: { status: "ready" } },
      ]);
    });
    await fc.assert(refusedOnce, campaign(100_000));
    expect(seen).toEqual({ starts: 0, faults: [] });
    untouched(folder);
  }, 600_000);

  it("is refused once among many that are answered at the same time", async () => {
    const { folder, seen, connect } = fuzzed(8);
    const sender = await connect();
    const ids = Array.from({ length: 64 }, (_, id) => id);
    const requests = fc.tuple(...ids.map((id) => malformedRequest(folder, id)));
    const eachOnce = fc.asyncProperty(requests, async (texts) => {
      const replies = await sender.collect(texts, ({ length }) => length >= texts.length);
      replies.push(
        ...(await sender.exchange(['{"id":"last","method":"environment/status"}'], "last")),
      );
      expect(
        replies
          .filter(({ error }) => error)
          .map(({ id }) => id)
          .sort(byNumber),
      ).toEqual(ids);
      expect(replies).toHaveLength(ids.length + 1);
    });
    await fc.assert(eachOnce, campaign(500));
    expect(seen).toEqual({ starts: 0, faults: [] });
    untouched(folder);
  }, 600_000);

  it("would have done something, had it not been malformed", async () => {
    const { folder, seen, connect } = fuzzed(1);
    const sender = await connect();
    const done: string[] = [];
    for (const call of wireCalls(folder)) {
      const params = { ...paramsOf(call), sandbox: null };
      const { starts } = seen;
      writeFileSync(path.join(folder, "f"), "content");
      const [reply] = await sender.ask(JSON.stringify({ id: 1, method: call.method, params }));
      if (reply?.error === undefined || seen.starts > starts) done.push(call.method);
    }
    expect(done).toEqual(DO_SOMETHING);
  });
});

function byNumber(a: unknown, b: unknown): number {
  return Number(a) - Number(b);
}
