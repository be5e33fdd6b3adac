/** Cases 21-28 and 53: a client that loses its connection comes back and has lost nothing. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { sharedLab } from "./support/exec-lab.ts";
import { until, type WireClient, type WireNote } from "./support/wire-client.ts";
import { printed, startOf } from "./support/wire-process.ts";

interface Read {
  readonly chunks: readonly { readonly seq: number; readonly chunk: string }[];
  readonly nextSeq: number;
  readonly exited: boolean;
  readonly exitCode: number | null;
  readonly closed: boolean;
}

const lab = sharedLab();
const base64 = (text: string) => Buffer.from(text).toString("base64");
const text = (chunks: readonly { readonly chunk?: string | undefined }[]) =>
  Buffer.concat(chunks.map(({ chunk = "" }) => Buffer.from(chunk, "base64")));

/** Loses the connection of a client and comes back: after a while, or as soon as the server knows. */
async function comeBack(client: WireClient, session: string, afterMs = 0): Promise<WireClient> {
  client.link.cut();
  await sleep(afterMs);
  for (;;) {
    const next = await lab().connect();
    const hello = { clientName: "test", resumeSessionId: session };
    const { error } = await next.tryCall("initialize", hello);
    if (error === undefined) {
      next.notify("initialized");
      return next;
    }
    if (error.code !== -32010) throw new Error(error.message);
    next.link.cut();
  }
}

async function begin(script: string, more = {}) {
  const client = await lab().connect();
  const session = await client.open();
  const start = startOf(lab().place.workspace, script, more);
  await client.call("process/start", start);
  return { client, session, processId: start.processId };
}

describe("a session", () => {
  it("21 is the same after a drop, and its process lives on", async () => {
    const { client, session, processId } = await begin("read x; echo got $x", { pipeStdin: true });
    client.link.cut();
    const next = await lab().connect();
    await until("the server knows of the drop", async () => {
      const hello = { clientName: "test", resumeSessionId: session };
      return (await next.tryCall("initialize", hello)).result?.sessionId === session;
    });
    next.notify("initialized");
    await next.call("process/write", { processId, chunk: base64("back\n"), writeId: "w" });
    await printed(next, processId, "got back\n");
  });

  it("22 that is attached is not given to another, who may try again", async () => {
    const client = await lab().connect();
    const session = await client.open();
    const other = await lab().connect();
    const { error } = await other.tryCall("initialize", {
      clientName: "test",
      resumeSessionId: session,
    });
    expect(error).toEqual({
      code: -32010,
      message: `session ${session} is already attached to another connection`,
    });
    expect(await client.call("environment/status")).toEqual({ status: "ready" });
  });

  it("23 that nobody knows is refused", async () => {
    const other = await lab().connect();
    const { error } = await other.tryCall("initialize", {
      clientName: "test",
      resumeSessionId: "nobody",
    });
    expect(error).toEqual({ code: -32600, message: "unknown session id nobody" });
  });

  it("25 comes back at once though its old connection waits for something", async () => {
    const { client, session, processId } = await begin("sleep 600");
    client.tryCall("process/read", { processId, waitMs: 600_000 }).catch(() => {});
    const next = await comeBack(client, session);
    expect(await next.call("process/terminate", { processId })).toEqual({ running: true });
  });

  it("28 does not write again what is sent again", async () => {
    const { client, session, processId } = await begin("cat", { pipeStdin: true });
    const write = { processId, chunk: base64("once\n"), writeId: "w1" };
    await client.call("process/write", write);
    const next = await comeBack(client, session);
    expect(await next.call("process/write", write)).toEqual({ status: "accepted" });
    await next.call("process/write", { processId, chunk: base64("end\n"), writeId: "w2" });
    await until("the last line is there", async () => {
      const { chunks } = await next.call<Read>("process/read", { processId });
      return text(chunks).includes("end\n");
    });
    const { chunks } = await next.call<Read>("process/read", { processId });
    expect(String(text(chunks))).toBe("once\nend\n");
    await next.call("process/terminate", { processId });
  });
});

describe("27 what a process prints while nobody listens", () => {
  it("is there to be read without a hole, and what follows is pushed", async () => {
    const script = "echo one; read x; echo two; sleep 0.2; echo three; read x; echo four";
    const { client, session, processId } = await begin(script, { pipeStdin: true });
    await printed(client, processId, "one");
    const seen = client.notes.at(-1)?.params.seq;
    client.raw(
      JSON.stringify({
        id: "w",
        method: "process/write",
        params: { processId, chunk: base64("\n"), writeId: "1" },
      }),
    );
    await client.reply("w");
    const next = await comeBack(client, session);
    await until("all of the gap is kept", async () => {
      const { chunks } = await next.call<Read>("process/read", { processId, afterSeq: seen });
      return text(chunks).includes("three");
    });
    const gap = await next.call<Read>("process/read", { processId, afterSeq: seen });
    const numbers = gap.chunks.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => (seen ?? 0) + 1 + index));
    expect(gap.nextSeq).toBe((numbers.at(-1) ?? 0) + 1);
    await next.call("process/write", { processId, chunk: base64("\n"), writeId: "2" });
    await printed(next, processId, "four");
  });

  it("53 is kept to its end and beyond", async () => {
    const { client, session, processId } = await begin("read x; echo late; exit 3", {
      pipeStdin: true,
    });
    await client.call("process/write", { processId, chunk: base64("\n"), writeId: "1" });
    const next = await comeBack(client, session);
    await until("it is closed", async () => {
      return (await next.call<Read>("process/read", { processId })).closed;
    });
    const read = await next.call<Read>("process/read", { processId });
    expect(read).toMatchObject({ exited: true, exitCode: 3, closed: true, nextSeq: 4 });
    expect(String(text(read.chunks))).toBe("late\n");
  });

  it("is whole however much it is: the process is held up instead", async () => {
    const { client, session, processId } = await begin("read x; seq 1 1000000", {
      pipeStdin: true,
    });
    await client.call("process/write", { processId, chunk: base64("\n"), writeId: "1" });
    const next = await comeBack(client, session, 500);
    await expectAll(next, { processId, before: client.notes, last: 1_000_000 });
  });

  it("is whole though the client asks for it late", async () => {
    const { client, session, processId } = await begin("read x; seq 1 2000000", {
      pipeStdin: true,
    });
    await client.call("process/write", { processId, chunk: base64("\n"), writeId: "1" });
    const next = await comeBack(client, session, 500);
    await until("much was pushed", () => text(outputs(next, processId)).length > 6 << 20);
    await expectAll(next, { processId, before: client.notes, last: 2_000_000 });
  });
});

interface Expected {
  readonly processId: string;
  /** What the client had heard before it lost its connection. */
  readonly before: readonly WireNote[];
  readonly last: number;
}

/** Puts together what was heard, read and pushed, as a client does that recovers. */
async function expectAll(client: WireClient, { processId, before, last }: Expected): Promise<void> {
  const heard = before.filter(({ params }) => params.processId === processId);
  const seen = heard.at(-1)?.params.seq ?? 0;
  const { chunks } = await client.call<Read>("process/read", { processId, afterSeq: seen });
  await client.waitNote("process/closed", (params) => params.processId === processId);
  const pushed = client.notes.filter(({ params }) => params.processId === processId);
  const parts = [
    ...heard.map(({ params }) => params),
    ...chunks,
    ...pushed.map((one) => one.params),
  ];
  const bySeq = new Map(parts.map((part) => [part.seq, part]));
  const all = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  // Its exit has a number too, and may come before the last of what it printed.
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  const whole = Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
  expect(digest(text(all.filter(({ chunk }) => chunk)))).toBe(digest(whole));
}

function outputs(client: WireClient, processId: string) {
  return client.notes
    .filter(({ method, params }) => method === "process/output" && params.processId === processId)
    .map(({ params }) => params);
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
