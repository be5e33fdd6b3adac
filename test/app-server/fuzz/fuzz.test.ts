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
const MOST_GROWTH = 150e6;
const TEN_MEGABYTES = 10_000_000;

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

/** Policies of ten megabytes, each written as nothing else would be. */
function hugePolicies(folder: string): readonly (readonly [string, string])[] {
  const roots = (texts: readonly string[]) =>
    `{"type":"workspaceWrite","writableRoots":[${texts.map((text) => JSON.stringify(text)).join()}]}`;
  const root = `${folder}/a`;
  const count = Math.ceil(TEN_MEGABYTES / (root.length + 9));
  const many = Array.from({ length: count }, (_, at) => `${root}${at}`);
  const half = TEN_MEGABYTES / 2;
  return [
    ["many roots", roots(many)],
    ["one root again and again", roots(Array.from({ length: count }, () => root))],
    ["one long root", roots([root + "a".repeat(TEN_MEGABYTES)])],
    ["a root of many folders", roots([root + "/a".repeat(half)])],
    ["a long type", `{"type":"${"a".repeat(TEN_MEGABYTES)}"}`],
    ["depth", `{"type":"readOnly","access":${"[".repeat(half)}${"]".repeat(half)}}`],
    ["members", `{"type":"readOnly",${many.map((text) => `${JSON.stringify(text)}:0`).join()}}`],
  ];
}

describe("K21 a policy of ten megabytes", () => {
  it("is refused in a short sentence wherever one is taken, and no thread is made", async () => {
    const app = fuzzServer();
    const { folder, faults } = app;
    const client = await connect(app);
    const { result } = await client.call("thread/start", { cwd: folder, sandbox: "read-only" });
    const threadId = result.thread.id;
    const input = [{ type: "text", text: "say hello", text_elements: [] }];
    const asks: readonly (readonly [string, object])[] = [
      ["thread/start", { cwd: folder }],
      ["thread/settings/update", { threadId }],
      ["turn/start", { threadId, input }],
      ["command/exec", { command: ["true"] }],
    ];
    for (const [at, [name, policy]] of hugePolicies(folder).entries()) {
      for (const [method, params] of at === 0 ? asks : asks.slice(0, 1)) {
        const { error } = await client.callWith(method, params, `"sandboxPolicy":${policy}`);
        const { code = 0, message = "" } = error ?? {};
        expect([name, method, code]).toEqual([name, method, expect.any(Number)]);
        expect([name, method, code < 0, message.length < 2_000]).toEqual([
          name,
          method,
          true,
          true,
        ]);
      }
    }
    const { result: loaded } = await client.call("thread/loaded/list", {});
    expect(loaded.data).toEqual([threadId]);
    expect(faults).toEqual([]);
    expect(await client.turn(folder, "say hello")).toBe("completed");
  });
});
