import { describe, expect, it } from "vitest";
import { ChatSteering } from "../../../src/cli/chat/chat-steering.ts";
import type { ChatThread } from "../../../src/cli/chat/chat-thread.ts";
import type { ChatEvent } from "../../../src/cli/chat/client/chat-event.ts";
import { ReceivedRpcError } from "../../../src/rpc/index.ts";

/** A thread whose server answers as a test says, and what the chat said and showed. */
function steeringLab(answer: (text: string) => Error | undefined = () => undefined) {
  const said: { text: string; name: string }[] = [];
  const shown: string[] = [];
  const thread = {
    turn: "turn-1" as string | undefined,
    async steer(text: string, name: string) {
      said.push({ text, name });
      const error = answer(text);
      if (error !== undefined) throw error;
    },
  };
  const steering = new ChatSteering({
    thread: thread as unknown as ChatThread,
    show: (line) => shown.push(`> ${line}`),
    note: (text) => shown.push(`- ${text}`),
    refused: (error) => shown.push(`! ${String(error)}`),
  });
  const takenUp = (clientId: string) =>
    steering.hear({
      kind: "itemStarted",
      params: { item: { type: "userMessage", clientId } },
    } as unknown as ChatEvent);
  return { steering, thread, said, shown, takenUp };
}

describe("a line that is typed while a turn runs", () => {
  it("goes to the turn and is shown, under a name of its own", async () => {
    const { steering, said, shown, takenUp } = steeringLab();
    expect([steering.take("one"), steering.take(" two ")]).toEqual([true, true]);
    expect(said.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(new Set(said.map(({ name }) => name)).size).toBe(2);
    for (const { name } of said) takenUp(name);
    expect(await steering.settle()).toEqual([]);
    expect(shown).toEqual(["> one", ">  two "]);
  });

  it.each(["/policy read-only", "/quit", "/nope"])("waits where it is %s", (line) => {
    const { steering, said } = steeringLab();
    expect([steering.take(line), said]).toEqual([false, []]);
  });

  it("is nothing where it is empty, and waits where no turn runs", () => {
    const { steering, thread, said } = steeringLab();
    expect(steering.take("  ")).toBe(true);
    thread.turn = undefined;
    expect([steering.take("late"), said]).toEqual([false, []]);
  });

  it("is said after the turn where it came too late for it", async () => {
    const over = new ReceivedRpcError("invalidRequest", "no active turn to steer");
    const { steering, shown } = steeringLab(() => over);
    for (const line of ["two", "three"]) steering.take(line);
    expect(await steering.settle()).toEqual(["two", "three"]);
    expect(shown).toEqual(["> two", "> three"]);
    expect(await steering.settle()).toEqual([]);
  });

  it("is told as not said where the turn ended without it, and what refused it is told", async () => {
    const long = new ReceivedRpcError("invalidParams", "Input exceeds the maximum length");
    const { steering, shown } = steeringLab((text) => (text === "long" ? long : undefined));
    for (const line of ["one", "long"]) steering.take(line);
    expect(await steering.settle()).toEqual([]);
    expect(shown).toEqual([
      ...["> one", "> long", `! ${String(long)}`],
      "- Not said, since the turn was over before it: one",
    ]);
  });
});
