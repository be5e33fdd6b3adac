import { afterEach, describe, expect, it, vi } from "vitest";
import { ModelError } from "../../../../src/agent/model/model-error.ts";
import { ask, collect, KEY } from "./support/ask.ts";
import {
  answers,
  begins,
  calls,
  completed,
  fails,
  type Provider,
  type Step,
  says,
  send,
  startProvider,
  writes,
} from "./support/responses-server.ts";

let provider: Provider;
const serve = async (...steps: readonly Step[]) => {
  provider = await startProvider(...steps);
  return provider.baseUrl;
};
afterEach(() => provider.close());

const failure = async (step: Step) => collect(ask(await serve(step)));
const hangs = () => {};

describe("a provider that answers with an error", () => {
  it.each([
    [400, "rejected"],
    [404, "rejected"],
    [408, "unavailable"],
    [429, "unavailable"],
    [500, "unavailable"],
    [503, "unavailable"],
  ])("is quoted with HTTP %i, as %s", async (status, code) => {
    const { events, error } = await failure(fails(status, "no such thing here"));
    expect(events).toEqual([]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      code,
      message: `Cannot ask model "gpt-5" of provider "openai": HTTP ${status}, "no such thing here"`,
    });
  });

  it.each([401, 403])("is not quoted with HTTP %i, where it may quote the key", async (status) => {
    const { error } = await failure(fails(status, `Incorrect key ${KEY.slice(0, 12)}***`));
    expect(error).toMatchObject({
      code: "rejected",
      message: `Cannot ask model "gpt-5" of provider "openai": HTTP ${status}, expected a key that the provider takes`,
    });
  });

  it("is told to whoever asked and printed nowhere", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    await failure(fails(500, "no"));
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it("is quoted short, on one line and without the key", async () => {
    const message = `line\r\nbreak\u001b[31m\u202e ${KEY} ${"x".repeat(5000)}`;
    const { error } = await failure(fails(400, message));
    expect((error as Error).message).toMatch(/"line break \[31m \[key\] x+…"$/);
    expect((error as Error).message.length).toBeLessThan(400);
  });

  it("is asked again as often as was said, and no more", async () => {
    const again = fails(503, "busy", { "retry-after-ms": "1" });
    const baseUrl = await serve(again, again, again);
    const { error } = await collect(ask(baseUrl, { options: { maxRetries: 1 } }));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("503") });
    expect(provider.requests).toHaveLength(2);
  });

  it("is asked again and then answers, after as long as it said", async () => {
    const again = fails(503, "busy", { "retry-after-ms": "1" });
    const baseUrl = await serve(again, answers(says("msg_1", "now")));
    const { events, error } = await collect(ask(baseUrl, { options: { maxRetries: 1 } }));
    expect([events[0], error]).toEqual([
      { kind: "text", itemId: "msg_1", delta: "now" },
      undefined,
    ]);
  });

  it("is not waited for when it is interrupted before it is asked again", async () => {
    const stop = new AbortController();
    const baseUrl = await serve((response, request) => {
      fails(503, "busy", { "retry-after": "50" })(response, request);
      setImmediate(() => stop.abort());
    });
    const asked = ask(baseUrl, { options: { maxRetries: 1 }, signal: stop.signal });
    expect((await collect(asked)).error).toMatchObject({ code: "interrupted" });
    expect(provider.requests).toHaveLength(1);
  });

  it("is not asked where nothing was said", async () => {
    const content = [{ type: "other", value: { type: "image" } }] as const;
    const history = [{ type: "userMessage", id: "u1", clientId: null, content }] as const;
    const { error } = await collect(ask(await serve(), { history }));
    expect(error).toMatchObject({
      code: "rejected",
      message: expect.stringContaining("nothing was said"),
    });
    expect(provider.requests).toEqual([]);
  });

  it("is not asked again for what will not change", async () => {
    const baseUrl = await serve(fails(400, "no"), answers());
    await collect(ask(baseUrl, { options: { maxRetries: 2 } }));
    expect(provider.requests).toHaveLength(1);
  });

  it("is not followed elsewhere", async () => {
    const elsewhere = await startProvider(answers(says("msg_1", "from elsewhere")));
    const { events, error } = await failure((response) => {
      response.writeHead(307, { location: `${elsewhere.baseUrl}/responses` });
      response.end();
    });
    expect([events, elsewhere.requests]).toEqual([[], []]);
    expect(error).toMatchObject({ code: "unavailable" });
    await elsewhere.close();
  });
});

describe("an answer that breaks off", () => {
  it.each<[string, Step]>([
    ["it ends without its end", begins((response) => response.end(), says("msg_1", "half"))],
    [
      "the provider says that it failed",
      begins(
        (response) => {
          const error = { code: "server_error", message: "out of order" };
          send(response, [{ type: "response.failed", sequence_number: 9, response: { error } }]);
          response.end();
        },
        says("msg_1", "half"),
      ),
    ],
  ])("is unavailable when %s, after the text that came", async (_, step) => {
    const { events, error } = await failure(step);
    expect(events).toEqual([{ kind: "text", itemId: "msg_1", delta: "half" }]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("is unavailable when the connection is cut", async () => {
    let cut = () => {};
    const step = begins(
      (response) => {
        cut = () => response.destroy();
      },
      [...says("msg_1", "half"), ...calls("call_a", "rm", "{}")],
    );
    const answer = ask(await serve(step))[Symbol.asyncIterator]();
    expect((await answer.next()).value).toMatchObject({ delta: "half" });
    cut();
    await expect(answer.next()).rejects.toMatchObject({
      name: "ModelError",
      code: "unavailable",
      message: expect.stringContaining("was lost"),
    });
  });

  it("calls nothing, though a call in it was whole", async () => {
    const step = begins((response) => response.end(), calls("call_a", "rm", "{}"));
    const { events, error } = await failure(step);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ message: expect.stringContaining("before it was complete") });
  });

  it.each([
    ["max_output_tokens", "the length that the model allows"],
    ["content_filter", "would not answer this"],
  ])("is rejected with %s, and calls nothing", async (reason, sentence) => {
    const step = begins(
      (response) => {
        send(response, [completed(reason)]);
        response.end();
      },
      calls("call_a", "rm", '{"cmd":'),
    );
    const { events, error } = await failure(step);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "rejected", message: expect.stringContaining(sentence) });
  });
});

describe("an answer that is none", () => {
  it.each<[string, Step, string]>([
    ["text that is no JSON", writes("data: {nonsense\n\n"), "malformed"],
    [
      "events of the wrong shape",
      writes('data: {"type":"response.output_text.delta"}\n\n'),
      "malformed",
    ],
    ["a page", writes("<html>hello</html>", "text/html"), "unavailable"],
    ["nothing", writes(""), "unavailable"],
    ["a list", writes("data: []\n\n"), "malformed"],
  ])("of %s is refused", async (_, step, code) => {
    const { events, error } = await failure(step);
    expect(events).toEqual([]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code });
  });

  it("is refused where one bad event stands among good ones", async () => {
    const step = begins(
      (response) => {
        response.write("data: {oops\n\n");
        send(response, [...calls("call_a", "rm", "{}"), completed()]);
        response.end();
      },
      says("msg_1", "half"),
    );
    const { events, error } = await failure(step);
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ code: "malformed" });
  });

  it("is refused when it is longer than anybody reads", async () => {
    const baseUrl = await serve(answers(says("msg_1", ...Array(100).fill("x".repeat(1000)))));
    const { error } = await collect(ask(baseUrl, { options: { maxAnswerBytes: 20_000 } }));
    expect(error).toMatchObject({
      code: "malformed",
      message: expect.stringContaining("too long"),
    });
  });
});

describe("a provider that does not answer", () => {
  it("is given up when nothing comes", async () => {
    const baseUrl = await serve(hangs);
    const { error } = await collect(ask(baseUrl, { options: { stallMs: 50 } }));
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("nothing came for 50 ms"),
    });
  });

  it("is not given up while an answer goes on, however long it takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const more: (() => void)[] = [];
      const step = begins(
        (response) => {
          more.push(
            () => send(response, says("msg_2", "b")),
            () => send(response, says("msg_3", "c")),
            () => response.end(`data: ${JSON.stringify(completed())}\n\n`),
          );
        },
        says("msg_1", "a"),
      );
      const baseUrl = await serve(step);
      const answer = ask(baseUrl, { options: { stallMs: 1000 } })[Symbol.asyncIterator]();
      await answer.next();
      for (const go of more) {
        vi.advanceTimersByTime(900);
        go();
        expect((await answer.next()).done).toBe(false);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  it("is given up when an answer stands still", async () => {
    const baseUrl = await serve(begins(hangs, says("msg_1", "half")));
    const { events, error } = await collect(ask(baseUrl, { options: { stallMs: 300 } }));
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("300 ms"),
    });
  });

  it("is unavailable where nobody listens", async () => {
    const baseUrl = await serve();
    await provider.close();
    const { error } = await collect(ask(baseUrl));
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("the connection could not be made"),
    });
    provider = await startProvider();
  });

  it.each([
    ["before it is sent", 0],
    ["while it is waited for", 1],
    ["in the middle of an answer", 2],
  ])("is interrupted %s", async (_, when) => {
    const stop = new AbortController();
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const baseUrl = await serve((response, request) => {
      response.on("close", () => resolve());
      if (when === 1) stop.abort();
      else begins(hangs, says("msg_1", "half"))(response, request);
    });
    if (when === 0) stop.abort();
    const answer = ask(baseUrl, { signal: stop.signal });
    const read = async () => {
      for await (const _event of answer) stop.abort();
    };
    await expect(read()).rejects.toMatchObject({ name: "ModelError", code: "interrupted" });
    if (when > 0) await gone;
  });

  it("is let go of when its reader leaves", async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const baseUrl = await serve((response, request) => {
      response.on("close", () => resolve());
      return begins(hangs, says("msg_1", "half"))(response, request);
    });
    for await (const _ of ask(baseUrl)) break;
    await gone;
  });
});
