import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAiModels } from "../../../../src/agent/model/ai/create-ai-models.ts";
import { ask, CHOICE, collect, KEY } from "./support/ask.ts";
import {
  answers,
  fails,
  type Provider,
  type Step,
  says,
  startProvider,
} from "./support/responses-server.ts";

let provider: Provider | undefined;
afterEach(async () => {
  await provider?.close();
  vi.unstubAllEnvs();
});
const serve = async (...steps: readonly Step[]) => {
  provider = await startProvider(...steps);
  return provider;
};

describe("what a provider is told besides", () => {
  const httpHeaders = { "X-Team": "blue" };
  const queryParams = { "api-version": "2" };
  const envHttpHeaders = { "X-Token": "TEAM_TOKEN" };

  it("goes with every request, and a secret header to nobody else", async () => {
    const { baseUrl, requests } = await serve(fails(500, "refused tok-123"));
    const { error } = await collect(
      ask(baseUrl, {
        provider: { httpHeaders, queryParams, envHttpHeaders },
        options: { env: { TEST_KEY: KEY, TEAM_TOKEN: "tok-123" } },
      }),
    );
    expect(requests[0]?.headers).toMatchObject({ "x-team": "blue", "x-token": "tok-123" });
    expect(requests[0]?.url).toContain("?api-version=2");
    expect(inspect(error, { depth: 10 })).not.toContain("tok-123");
  });

  it("is told to nobody where the provider quotes it, unless it is too short to be a secret", async () => {
    const [header, param] = ["static-secret-1", "query/secret 2"];
    const quoted = `blue ${header} ${param} /v1?api-key=query%2Fsecret+2&api-version=2`;
    const { baseUrl } = await serve(fails(400, quoted));
    const { error } = await collect(
      ask(baseUrl, {
        provider: {
          httpHeaders: { ...httpHeaders, "api-key": header },
          queryParams: { ...queryParams, "api-key": param },
        },
      }),
    );
    const shown = "blue [key] [key] /v1?api-key=[key]&api-version=2";
    expect(String(error)).toContain(JSON.stringify(shown));
    expect(inspect(error, { depth: 10 })).not.toMatch(/secret/);
  });

  it("is not sent where the variable of a header is not set", async () => {
    const { baseUrl, requests } = await serve(fails(500, "no"));
    const { error } = await collect(ask(baseUrl, { provider: { envHttpHeaders } }));
    expect(String(error)).toContain('the variable "TEAM_TOKEN" is not set');
    expect(requests).toEqual([]);
  });
});

describe("the key of a provider", () => {
  it.each([
    ["openai", "authorization", `Bearer ${KEY}`],
    ["anthropic", "x-api-key", KEY],
  ])("goes to %s in %s alone", async (name, header, value) => {
    const { baseUrl, requests } = await serve(fails(500, "no"));
    await collect(ask(baseUrl, { provider: { name } }));
    expect(requests[0]?.headers[header]).toBe(value);
    const { [header]: _, ...others } = requests[0]?.headers ?? {};
    expect(JSON.stringify([others, requests[0]?.body, requests[0]?.url])).not.toContain(KEY);
  });

  it.each([
    ["openai", "responses"],
    ["anthropic", "responses"],
    ["local", "chat"],
  ] as const)(
    "is not sent to %s where none is configured, whatever else is set",
    async (name, wireApi) => {
      vi.stubEnv("OPENAI_API_KEY", KEY);
      vi.stubEnv("ANTHROPIC_API_KEY", KEY);
      vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
      const { baseUrl, requests } = await serve(fails(500, "no"));
      const models = createAiModels({
        providers: [{ name, baseUrl, wireApi }],
        env: process.env,
        maxRetries: 0,
      });
      const choice = { ...CHOICE, provider: name };
      const signal = new AbortController().signal;
      const request = { instructions: null, history: [], tools: [], model: choice, signal };
      await collect(models.find(choice).respond({ ...request, history: [HELLO] }));
      expect(requests).toHaveLength(1);
      expect(requests[0]?.headers).not.toHaveProperty("authorization");
      expect(requests[0]?.headers).not.toHaveProperty("x-api-key");
    },
  );

  it("is that of now, and so is the model, though the one before was kept", async () => {
    const { baseUrl, requests } = await serve(...Array(3).fill(fails(500, "no")));
    const env = { TEST_KEY: "first-key" };
    const models = createAiModels({
      providers: [{ name: "openai", baseUrl, envKey: "TEST_KEY", wireApi: "responses" }],
      env,
      maxRetries: 0,
    });
    const askFor = (model: string) => {
      const choice = { ...CHOICE, model };
      const { signal } = new AbortController();
      const request = { instructions: null, history: [HELLO], tools: [], model: choice, signal };
      return collect(models.find(choice).respond(request));
    };
    await askFor("gpt-5");
    env.TEST_KEY = "second-key";
    await askFor("gpt-5");
    await askFor("gpt-6");
    const seen = requests.map(({ headers, body }) => [headers.authorization, body.model]);
    expect(seen).toEqual([
      ["Bearer first-key", "gpt-5"],
      ["Bearer second-key", "gpt-5"],
      ["Bearer second-key", "gpt-6"],
    ]);
  });

  it.each([
    ["not set", {}],
    ["empty", { TEST_KEY: "" }],
  ])("is named, and nothing is asked, where its variable is %s", async (what, env) => {
    vi.stubEnv("OPENAI_API_KEY", KEY);
    const { baseUrl, requests } = await serve(answers());
    const { error } = await collect(ask(baseUrl, { options: { env } }));
    expect(error).toMatchObject({
      code: "unavailable",
      message: `Cannot ask provider "openai": the variable "TEST_KEY" is ${what}, expected a key`,
    });
    expect(requests).toEqual([]);
  });

  it("is refused, and not shown, where no header can hold it", async () => {
    const { baseUrl, requests } = await serve(answers());
    const { error } = await collect(ask(baseUrl, { options: { env: { TEST_KEY: `${KEY}\n` } } }));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
    expect(requests).toEqual([]);
  });

  it("is looked up at each request", async () => {
    const { baseUrl, requests } = await serve(answers(), answers());
    const env: Record<string, string> = { TEST_KEY: "first" };
    const models = createAiModels({
      providers: [{ name: "openai", baseUrl, envKey: "TEST_KEY", wireApi: "responses" }],
      env,
    });
    const model = models.find(CHOICE);
    const signal = new AbortController().signal;
    const request = { instructions: null, history: [HELLO], tools: [], model: CHOICE, signal };
    await collect(model.respond(request));
    env.TEST_KEY = "second";
    await collect(model.respond(request));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer first",
      "Bearer second",
    ]);
  });

  it("does not travel in the clear to another machine", async () => {
    const { error } = await collect(ask("http://models.example/v1"));
    expect(error).toMatchObject({
      code: "rejected",
      message:
        'Cannot ask provider "openai": its key would travel to "models.example" in the clear, expected https://',
    });
  });

  it.each(["nonsense", "file:///etc", "https://user:hunter2@models.example/v1", ""])(
    "goes nowhere with the base URL %s",
    async (baseUrl) => {
      const { error } = await collect(ask(baseUrl));
      expect(error).toMatchObject({ code: "rejected" });
      expect(inspect(error)).not.toContain("hunter2");
    },
  );

  it.each([400, 401, 429, 500])(
    "is in nothing that is said when the provider quotes it with HTTP %i",
    async (status) => {
      const { baseUrl } = await serve(fails(status, `bad key ${KEY}`));
      const { error } = await collect(ask(baseUrl));
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
      expect(error).not.toHaveProperty("cause");
    },
  );

  it("is in no event and on no stream of this process", async () => {
    const printed: string[] = [];
    const [out, err] = [process.stdout.write, process.stderr.write];
    const hear = (chunk: string | Uint8Array) => printed.push(String(chunk)) > 0;
    process.stdout.write = hear;
    process.stderr.write = hear;
    const { baseUrl } = await serve(answers(says("msg_1", "ok")), fails(500, KEY));
    const good = await collect(ask(baseUrl));
    await collect(ask(baseUrl));
    process.stdout.write = out;
    process.stderr.write = err;
    expect(JSON.stringify([good, printed])).not.toContain(KEY);
  });
});

describe("a provider that is not configured", () => {
  it.each([
    [[], "one that is configured"],
    [["openai", "local"], "one of openai, local"],
  ])("is refused when there are %j", (names, expected) => {
    const providers = names.map((name) => ({ name, baseUrl: "", wireApi: "chat" as const }));
    const models = createAiModels({ providers, env: {} });
    expect(() => models.find({ ...CHOICE, provider: "other" })).toThrow(
      `Cannot ask a model of "other": there is no such provider, expected ${expected}`,
    );
  });
});

const HELLO = {
  type: "userMessage",
  id: "u1",
  clientId: null,
  content: [{ type: "text", text: "hello" }],
} as const;
