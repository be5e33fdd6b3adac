/**
 * Models that answer nonsense, over real HTTP, to the built app-server.
 *
 * Whatever comes, the turn ends with an item or a sentence, and the next one works.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answers,
  begins,
  calls,
  completed,
  fails,
  type Step,
  says,
  send,
  writes,
} from "../../../agent/model/ai/support/responses-server.ts";
import { USERS } from "../../support/sandbox-user.ts";
import { caseApp } from "../support/case-app.ts";
import { callsTool, type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";

const MIB = 1 << 20;
const bytes = (body: Buffer | string) => (response: Parameters<Step>[0]) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(body);
};
/** After all before it is on its way: what is cut earlier is asked for again. */
const cut = (response: Parameters<Step>[0]) =>
  response.write(": the last of it\n\n", () => response.destroy());

/** Steps after which the turn has failed, and what its sentence has. */
const FAILING: readonly (readonly [name: string, step: Step, sentence: RegExp])[] = [
  ["HTTP 400", fails(400, "no such model"), /HTTP 400, "no such model"/],
  ["HTTP 401", fails(401, "bad key"), /HTTP 401, expected a key/],
  ["HTTP 503 thrice", fails(503, "busy", { "retry-after-ms": "1" }), /HTTP 503, "busy"/],
  ["a page", writes("<html>hello</html>", "text/html"), /Cannot ask model/],
  ["nothing", writes(""), /Cannot ask model/],
  ["no HTTP", (response) => response.socket?.end("nonsense\r\n\r\n"), /Cannot ask model/],
  ["chance", bytes(randomBytes(MIB)), /Cannot ask model/],
  ["text that is no JSON", writes("data: {nonsense\n\n"), /Cannot ask model/],
  ["a list", writes("data: []\n\n"), /Cannot ask model/],
  [
    "events of the wrong shape",
    writes('data: {"type":"response.output_text.delta"}\n\n'),
    /Cannot/,
  ],
  ["a cut before the first word", begins(cut, []), /Cannot ask model/],
  ["a cut in the middle", begins(cut, says("half", "half")), /Cannot ask model/],
  ["an end in the middle of a call", begins(cut, calls("c", "exec_command", "{}")), /Cannot ask/],
  [
    "an answer that was cut for its length",
    begins(
      (response) => {
        send(response, [completed("max_output_tokens")]);
        response.end();
      },
      says("long", "so far"),
    ),
    /length that the model allows/,
  ],
  ["17 MiB of text", answers(says("long", ...Array(17).fill("x".repeat(MIB)))), /too long/],
  [
    "300 calls at once",
    answers(...Array.from({ length: 300 }, (_, at) => calls(`c${at}`, "exec_command", "{}"))),
    /too long, expected at most .* 256 calls/,
  ],
];

const cmd = (text: string) => JSON.stringify({ cmd: text });

/** Calls after which the turn goes on, and what their item says. */
const REFUSED: readonly (readonly [name: string, tool: string, input: string, says: RegExp])[] = [
  ["a tool that nobody knows", "no_such_tool", "{}", /there is no such tool/],
  ["a tool of every object", "constructor", "{}", /there is no such tool/],
  ["a tool with 100,000 letters", "t".repeat(100_000), "{}", /there is no such tool/],
  ["no name", "", "{}", /there is no such tool/],
  ["broken JSON", "exec_command", '{"cmd": "touch made', /Cannot call "exec_command"/],
  ["no JSON", "exec_command", "touch made", /Cannot call "exec_command"/],
  ["nothing", "exec_command", "", /Cannot call "exec_command"/],
  ["a list", "exec_command", "[]", /Cannot call "exec_command"/],
  ["a member twice", "exec_command", '{"cmd":"true","cmd":"touch made"}', /Cannot call/],
  ["a prototype", "exec_command", '{"cmd":"true","__proto__":{"login":false}}', /Cannot call/],
  ["a member that nobody knows", "exec_command", '{"cmd":"touch made","sandbox":"off"}', /Cannot/],
  ["10 MB of a command", "exec_command", cmd(`touch made; ${"x".repeat(10_000_000)}`), /Cannot/],
  ["10 MB that are no JSON", "exec_command", "[".repeat(10_000_000), /Cannot call/],
  ["10 MB of a patch", "apply_patch", JSON.stringify({ input: "+".repeat(10_000_000) }), /Cannot/],
  [
    "10 MB of a file",
    "write_file",
    JSON.stringify({ path: "made", content: "x".repeat(10_000_000) }),
    /Cannot/,
  ],
  ["a path that is none", "write_file", '{"path":"a\\u0000b","content":""}', /Cannot/],
];

describe.each(USERS)("a model of a server of %s", (user) => {
  let model: ScriptedModel;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    model = await scriptedModel((end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  const app = caseApp({ user, settings: () => model.config });

  async function opened() {
    const { client, place } = app();
    const params = { cwd: place.workspace, sandbox: "workspace-write", approvalPolicy: "never" };
    const { thread } = await client.ok("thread/start", params);
    return { client, place, threadId: thread.id as string };
  }

  /** A turn with a command after whatever was before, and all of it can be read back. */
  async function goesOn({ client, threadId }: Awaited<ReturnType<typeof opened>>) {
    const { turn, items } = await client.turn(threadId, "echo still here");
    expect(turn.status).toBe("completed");
    expect(items.find(({ type }) => type === "commandExecution")).toMatchObject({
      ...{ exitCode: 0, aggregatedOutput: "still here\n" },
    });
    const { thread } = await client.ok("thread/read", { threadId, includeTurns: true });
    expect(thread.turns).toHaveLength(2);
    return thread.turns;
  }

  it.each(FAILING)(
    "ends the turn with a sentence on %s, and the next turn works",
    async (name, step, sentence) => {
      const lab = await opened();
      model.scripts.set(name, [step]);
      const { turn } = await lab.client.turn(lab.threadId, name);
      expect(turn).toMatchObject({
        status: "failed",
        error: { message: expect.stringMatching(sentence) },
      });
      expect(turn.error.message.length).toBeLessThan(1000);
      await goesOn(lab);
    },
  );

  it.each(REFUSED)(
    "refuses a call with %s as an item, and the next turn works",
    async (name, tool, input, says) => {
      const lab = await opened();
      model.scripts.set(name, [callsTool(name, tool, input)]);
      const { turn, items } = await lab.client.turn(lab.threadId, name);
      expect(turn.status).toBe("completed");
      const item = items.find(({ type }) => type !== "userMessage" && type !== "agentMessage");
      expect(item).toMatchObject({ type: "dynamicToolCall", status: "failed", success: false });
      expect(item?.contentItems[0].text).toMatch(says);
      expect(JSON.stringify(item).length).toBeLessThan(20_000);
      expect(existsSync(path.join(lab.place.workspace, "made"))).toBe(false);
      await goesOn(lab);
    },
  );

  it("takes an answer that comes byte by byte, with events that nobody knows between", async () => {
    const lab = await opened();
    const step: Step = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const created = {
        type: "response.created",
        response: { id: "r", created_at: 1, model: "m" },
      };
      const strange = [{ type: "response.new_thing", value: [1] }, { type: "x".repeat(1000) }];
      const parts = [created, ...strange, ...says("slow", "slow ", "but ", "sure"), completed()];
      const text = parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(": comment\n\n");
      for (const byte of Buffer.from(text)) {
        response.write(Buffer.of(byte));
        await setImmediate();
      }
      response.end();
    };
    model.scripts.set("slow", [step]);
    const { turn, items } = await lab.client.turn(lab.threadId, "slow");
    expect([turn.status, items.at(-1)?.text]).toEqual(["completed", "slow but sure"]);
    await goesOn(lab);
  });

  it("keeps what had come of an answer that broke off, and runs no call of it", async () => {
    const lab = await opened();
    const made = calls("call_made", "exec_command", cmd("touch made"));
    model.scripts.set("half", [begins(cut, [...says("half", "half of it"), ...made])]);
    const { turn } = await lab.client.turn(lab.threadId, "half");
    expect(turn.status).toBe("failed");
    const [first] = await goesOn(lab);
    const texts = first.items.flatMap(({ text }: { text?: string }) => text ?? []);
    expect(texts).toEqual(["half of it"]);
    expect(existsSync(path.join(lab.place.workspace, "made"))).toBe(false);
  });

  it("runs calls of one id one after the other, each as an item of its own", async () => {
    const lab = await opened();
    const twice = ["one", "two"].flatMap((word) =>
      calls("same", "exec_command", cmd(`echo ${word}`)),
    );
    model.scripts.set("twice", [answers(twice)]);
    const { turn, items } = await lab.client.turn(lab.threadId, "twice");
    expect(turn.status).toBe("completed");
    const commands = items.filter(({ type }) => type === "commandExecution");
    expect(commands.map(({ aggregatedOutput }) => aggregatedOutput)).toEqual(["one\n", "two\n"]);
    expect(new Set(commands.map(({ id }) => id)).size).toBe(2);
    await goesOn(lab);
  });
});
