import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReplServer, type ReplServerOptions, STATE_KEY } from "../../../../src/mcp/index.ts";
import { type ReplLab, replLab } from "../session/support/repl-lab.ts";

interface Served {
  readonly client: Client;
  readonly labs: Readonly<Record<string, ReplLab>>;
  /** Calls the tool; the state comes with it. */
  repl(args: object, options?: object): Promise<Record<string, unknown>>;
}

/** A client of a server with one session a language. */
async function serve(
  languages: readonly string[] = ["python"],
  options: Partial<ReplServerOptions> = {},
): Promise<Served> {
  const labs = Object.fromEntries(languages.map((language) => [language, replLab()]));
  const server = createReplServer({
    sessions: new Map(Object.entries(labs).map(([name, { session }]) => [name, session])),
    oversized: "files",
    inherits: true,
    version: "1.2.3",
    ...options,
  });
  const client = new Client({ name: "test", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  const context = labs[languages[0] ?? ""]?.full();
  const _meta = context?.mcpReq?._meta as Record<string, unknown>;
  const repl = (args: object, more: object = {}) =>
    client.callTool({ name: "repl", arguments: { ...args }, _meta }, more);
  return { client, labs, repl };
}

const texts = ({ content }: Record<string, unknown>) =>
  (content as { text: string }[]).map(({ text }) => text).join("");

describe("a REPL server", () => {
  it("has a name and a version, and says whether calls bring their sandbox", async () => {
    const { client } = await serve();
    expect(client.getServerVersion()).toMatchObject({ name: "writ-repl", version: "1.2.3" });
    expect(client.getServerCapabilities()).toMatchObject({
      tools: {},
      experimental: { [STATE_KEY]: { version: expect.any(String) } },
    });
    const explicit = await serve(["python"], { inherits: false });
    expect(explicit.client.getServerCapabilities()?.experimental).toBe(undefined);
  });

  it("has one tool, whose schema allows nothing else", async () => {
    const { client } = await serve(["python", "bash"]);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(1);
    expect(tools[0]).toMatchObject({
      name: "repl",
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      inputSchema: {
        type: "object",
        required: ["input"],
        additionalProperties: false,
        properties: {
          input: { type: "string" },
          timeout_ms: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }] },
          language: { enum: ["python", "bash"] },
        },
      },
    });
  });

  it("tells a model what to do with output that is too long", async () => {
    const descriptionWith = async (oversized: "files" | "pager") => {
      const { client } = await serve(["python"], { oversized });
      return (await client.listTools()).tools[0]?.description;
    };
    expect(await descriptionWith("files")).toMatch(/names a file with all of it/);
    expect(await descriptionWith("pager")).toMatch(/:help/);
  });

  it.each([
    ["nothing", {}, /input/],
    ["input that is no text", { input: 1 }, /input/],
    ["a negative time", { input: "x", timeout_ms: -1 }, /timeout_ms/],
    ["a part of a millisecond", { input: "x", timeout_ms: 0.5 }, /timeout_ms/],
    ["a time that is text", { input: "x", timeout_ms: "1" }, /timeout_ms/],
    ["an argument that is not there", { input: "x", session: "a" }, /session/],
    ["a language that is not there", { input: "x", language: "perl" }, /language/],
    ["more than a worker takes", { input: "x".repeat((2 << 20) + 1) }, /input/],
  ])("refuses %s, names it, and touches no session", async (_, args, name) => {
    const { labs, repl } = await serve();
    const reply = await repl(args).catch((error: Error) => ({
      isError: true,
      content: [{ text: error.message }],
    }));
    expect(reply).toMatchObject({ isError: true });
    expect(texts(reply)).toMatch(name);
    expect(labs.python?.executor.requests).toEqual([]);
  });

  it("takes no time for the usual one", async () => {
    const { repl } = await serve();
    expect(texts(await repl({ input: "one", timeout_ms: null }))).toBe("ran one\n");
  });

  it("replies to programs as well", async () => {
    const { repl } = await serve();
    const sandbox = { profileDigest: expect.any(String), boundDigest: expect.any(String) };
    expect(await repl({ input: "one" })).toMatchObject({
      content: [{ type: "text", text: "ran one\n" }],
      isError: false,
      _meta: { "dev.writ/repl": { status: "idle", sandbox } },
    });
    expect(await repl({ input: "hang", timeout_ms: 0 })).toMatchObject({
      _meta: { "dev.writ/repl": { status: "busy", elapsedMs: expect.any(Number) } },
    });
  });

  it("refuses a call without state with a sentence", async () => {
    const { client } = await serve();
    const reply = await client.callTool({ name: "repl", arguments: { input: "one" } });
    expect(reply).toMatchObject({
      isError: true,
      _meta: { "dev.writ/repl": { status: "refused", refusal: "missing" } },
    });
    expect(texts(reply)).toMatch(/^Cannot run this call: it came without sandbox state/);
  });

  it("has a session for each language, and the first where none is named", async () => {
    const { labs, repl } = await serve(["python", "bash"]);
    await repl({ input: "one" });
    await repl({ input: "hang", language: "python", timeout_ms: 0 });
    expect(texts(await repl({ input: "two", language: "bash" }))).toBe("ran two\n");
    expect(labs.python?.executor.last.inputs).toEqual(["one", "hang"]);
    expect(labs.bash?.executor.last.inputs).toEqual(["two"]);
  });

  it("interrupts what a cancelled call runs, and serves the next", async () => {
    const { labs, repl } = await serve();
    const cancelled = new AbortController();
    const first = repl({ input: "hang" }, { signal: cancelled.signal });
    const executor = labs.python?.executor;
    await expect.poll(() => executor?.workers[0]?.inputs).toEqual(["hang"]);
    cancelled.abort("enough");
    await expect(first).rejects.toThrow();
    await expect.poll(() => executor?.last.interrupts).toBe(1);
    expect(texts(await repl({ input: "two" }))).toBe("stderr: KeyboardInterrupt\nran two\n");
    expect(executor?.requests).toHaveLength(1);
  });

  it("says that it is still there to who asked for it, and only while it runs", async () => {
    const { labs, repl } = await serve();
    const seconds: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seconds.push(progress);
    const first = repl({ input: "hang" }, { onprogress });
    await expect.poll(() => seconds.slice(0, 2)).toEqual([1, 2]);
    const told = seconds.length;
    labs.python?.executor.last.ready();
    await first;
    expect(seconds.length).toBeLessThanOrEqual(told + 1);
  });

  it("logs calls and replies, and no metadata", async () => {
    const events: Readonly<Record<string, unknown>>[] = [];
    const { repl } = await serve(["python"], { log: (event) => void events.push(event) });
    await repl({ input: "one", timeout_ms: 5000 });
    const { id } = events[0] ?? {};
    expect(events).toEqual([
      { event: "call", id, language: "python", input: "one", timeoutMs: 5000 },
      expect.objectContaining({ event: "reply", id, status: "idle", isError: false }),
    ]);
    expect(events[1]).toMatchObject({ content: [{ type: "text", text: "ran one\n" }] });
    expect(JSON.stringify(events)).not.toMatch(/_meta|sandboxCwd/);
  });
});
