/** Whatever is sent, each request is answered once, nothing falls over, and work goes on. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createMemoryPair } from "../../../src/rpc/index.ts";
import { campaignSeed, rounds } from "../../support/campaign.ts";
import { FuzzClient } from "./support/fuzz-client.ts";
import { type FuzzServer, fuzzServer } from "./support/fuzz-server.ts";
import { MalformedMessages } from "./support/malformed-messages.ts";

const MESSAGES = rounds(100_000);
const BATCH = 500;
/** Several times what was seen. */
const MOST_GROWTH = 300e6;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

function usedBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

async function connect({ server }: FuzzServer): Promise<FuzzClient> {
  const [near, far] = createMemoryPair();
  server.accept(far);
  const client = new FuzzClient((text) => near.send(text));
  near.open({
    message: (incoming) => incoming.kind === "text" && client.hear(incoming.text),
    closed: ({ reason }) => {
      throw new Error(`the connection is over: ${reason}`);
    },
  });
  await client.initialize();
  return client;
}

describe("a connection that sends nothing but nearly right messages", () => {
  it("K21 gets one answer to each request, and a turn afterwards", {
    timeout: 900_000,
  }, async () => {
    const app = fuzzServer();
    const { folder, faults } = app;
    const client = await connect(app);
    const names = Object.getOwnPropertyNames(Object.prototype);
    const { result } = await client.call("thread/start", { cwd: folder, sandbox: "read-only" });
    const messages = new MalformedMessages(campaignSeed, { threadId: result.thread.id, folder });
    const before = usedBytes();
    for (let sent = 0; sent < MESSAGES; sent += BATCH) {
      for (let one = 0; one < BATCH; one += 1) void client.send(messages.next());
      expect(await client.unanswered()).toEqual([]);
    }
    expect(client.twice).toEqual([]);
    expect(faults).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
    expect(await client.turn(folder, "say hello")).toBe("completed");
    expect(usedBytes() - before).toBeLessThan(MOST_GROWTH);
    for (const code of ["result", -32_600] as const)
      expect(client.codes.get(code)).toBeGreaterThan(0);
  });
});
