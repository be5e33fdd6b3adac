/** The program itself under nearly right messages, bytes that are no text, and parts of messages. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { FuzzClient } from "../../app-server/fuzz/support/fuzz-client.ts";
import { MalformedMessages } from "../../app-server/fuzz/support/malformed-messages.ts";
import { campaignSeed, rounds } from "../../support/campaign.ts";
import { USERS } from "../support/sandbox-user.ts";
import { AppLab, WAYS, type Way } from "./support/app-lab.ts";
import { randomFrom } from "./support/random-from.ts";

const MESSAGES = rounds(5_000);
const BATCH = 100;
/** Several times what was seen. */
const MOST_BYTES = 500e6;

interface FuzzLink {
  readonly client: FuzzClient;
  readonly lab: AppLab;
  /** Bytes as they are; over a socket as a frame of their own. */
  bytes(bytes: Uint8Array): void;
  isOver(): boolean;
}

/** Somebody who may not do much here: what is sent may come to mean anything. */
async function open(over: Way): Promise<FuzzLink> {
  const lab = new AppLab({ over, user: USERS.at(-1) ?? "ordinary" });
  const first = await lab.connect();
  if (over === "ws") return openSocket(lab);
  const { server } = lab;
  const client = new FuzzClient((text) => first.raw(text));
  if (server.stdout === null) throw new Error("The server has no output");
  createInterface({ input: server.stdout }).on("line", (line) => client.hear(line));
  return {
    client,
    lab,
    bytes: (bytes) => void server.stdin?.write(bytes),
    isOver: () => server.exitCode !== null,
  };
}

async function openSocket(lab: AppLab): Promise<FuzzLink> {
  const socket = new WebSocket(lab.url);
  const client = new FuzzClient((text) => socket.send(text));
  socket.on("message", (bytes) => client.hear(String(bytes)));
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return {
    client,
    lab,
    bytes: (bytes) => socket.send(bytes, { binary: true }),
    isOver: () => socket.readyState !== WebSocket.OPEN || lab.server.exitCode !== null,
  };
}

/** Bytes that are no text, one line of them, with the beginning of a message in it. */
function noText(random: (below: number) => number): Buffer {
  const bytes = Array.from({ length: 1 + random(60) }, () => random(256));
  const line = Buffer.from(bytes.map((byte) => (byte === 10 || byte === 13 ? 0xff : byte)));
  return Buffer.concat([Buffer.from('{"id":1,"method":"'), line, Buffer.from([0xff, 10])]);
}

function mostMemory({ server }: AppLab): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
}

describe.each(WAYS)("a program that is sent nonsense over %s", (over) => {
  it("K21 answers each request once, stays small and goes on working", {
    timeout: 600_000,
  }, async () => {
    const { client, lab, bytes, isOver } = await open(over);
    const { workspace: folder } = lab.place;
    const random = randomFrom(campaignSeed);
    await client.initialize();
    const { result } = await client.call("thread/start", { cwd: folder, sandbox: "read-only" });
    const messages = new MalformedMessages(campaignSeed, { threadId: result.thread.id, folder });
    for (let sent = 0; sent < MESSAGES; sent += BATCH) {
      for (let one = 0; one < BATCH; one += 1) await client.send(messages.next());
      bytes(noText(random));
      expect(await client.unanswered()).toEqual([]);
      expect(isOver()).toBe(false);
    }
    expect(client.twice).toEqual([]);
    expect(lab.errors).not.toMatch(/^writ: /m);
    expect(await client.turn(folder, "echo hello")).toBe("completed");
    expect(mostMemory(lab)).toBeLessThan(MOST_BYTES);
  });
});

describe("a program that gets its messages in parts", () => {
  it("reads each as if it had come at once, and nothing of one that has no end", async () => {
    const { client, lab, bytes } = await open("stdio");
    const { workspace: folder } = lab.place;
    await client.initialize();
    const text = `${JSON.stringify({ id: "é-parts", method: "thread/loaded/list", params: {} })}\n`;
    const answered = client.codes.get("result") ?? 0;
    for (const byte of Buffer.from(text)) {
      bytes(Buffer.of(byte));
      await sleep(1);
    }
    while ((client.codes.get("result") ?? 0) === answered) await sleep(5);
    expect(await client.turn(folder, "say hello")).toBe("completed");
    bytes(Buffer.from('{"id":"no end","method":"thread/start","params":{}'));
    const exit = once(lab.server, "exit");
    lab.server.stdin?.end();
    expect((await exit)[0]).toBe(0);
    expect(client.codes.get("result")).toBe(answered + 3);
  });
});
