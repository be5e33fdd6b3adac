/** A chat whose server says no: it ends, and holds nothing open. */
import { describe, expect, it } from "vitest";
import { Chat, type ChatParts } from "../../../src/cli/chat/chat.ts";
import { Screen } from "../../../src/cli/chat/terminal/screen.ts";
import { createMemoryPair, type Transport } from "../../../src/rpc/index.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const REFUSED: Answer = { error: { code: -32600, message: "there is no such profile" } };
const MISREAD: Answer = { error: { code: -32602, message: "missing field `clientName`" } };
const MET: Answer = {
  result: {
    ...{ userAgent: "a/1", codexHome: "/h", platformFamily: "unix", platformOs: "linux" },
    writ: { version: "1" },
  },
};

/** A server that answers each method as a test says; what it has no answer for stays unanswered. */
function server(answers: Readonly<Record<string, Answer>>) {
  const [here, there] = createMemoryPair();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  there.open({
    message(incoming) {
      const { id, method } = JSON.parse(incoming.kind === "text" ? incoming.text : "{}");
      const answer = answers[method];
      if (answer !== undefined) void there.send(JSON.stringify({ id, ...answer }));
    },
    closed: () => leave(),
  });
  return { here, left };
}

function chatWith(transport: Transport): Chat {
  const parts = {
    world: { out() {}, err() {}, env: {}, cwd: "/", home: "/", hostname: "h", platform: "linux" },
    screen: new Screen({ write() {}, isLive: false }),
    keyboard: { heed() {}, close() {} },
    paint: {},
    secrets: [],
    width: () => 80,
    version: "1",
  };
  return new Chat(transport, parts as unknown as ChatParts);
}

const remote = { address: { kind: "url", url: "ws://127.0.0.1:1" } } as const;

describe("a chat with a server that refuses", () => {
  it.each([
    ["to begin a thread", { initialize: MET, "thread/start": REFUSED }, undefined],
    ["to resume one", { initialize: MET, "thread/resume": REFUSED }, { id: "nope" }],
  ])("%s ends with what it says and leaves the connection", async (_, answers, resume) => {
    const { here, left } = server(answers);
    const run = chatWith(here).run({ begin: {}, remote, ...(resume && { resume }) });
    await expect(run).rejects.toThrow("there is no such profile");
    await left;
  });

  it("even its greeting says that it is no app-server, and leaves", async () => {
    const { here, left } = server({ initialize: MISREAD });
    await expect(chatWith(here).run({ begin: {}, remote })).rejects.toThrow(
      'Cannot talk to "ws://127.0.0.1:1": it is no app-server, expected one',
    );
    await left;
  });

  it("nothing and says nothing ends when it is told to", async () => {
    const { here, left } = server({});
    const chat = chatWith(here);
    const run = chat.run({ begin: {}, remote });
    chat.end();
    await expect(run).rejects.toThrow();
    await left;
  });
});
