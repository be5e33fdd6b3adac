import { describe, expect, it } from "vitest";
import { childEnvironment } from "../../../src/exec/child-environment.ts";
import { allowed, type HttpRig, target } from "./support/http-rig.ts";

async function refusal(rig: HttpRig, params: Readonly<Record<string, unknown>>) {
  const { url, seen } = await target((_, response) => response.end());
  const { error } = await rig.ask({ url, ...params });
  expect(seen).toEqual([]);
  return error;
}

describe("91: a header with a variable of the executor", () => {
  it("ends in the value of that variable", async () => {
    const { url, seen } = await target((_, response) => response.end());
    const headers = [{ name: "Authorization", value: "Bearer ", valueEnvVar: "THEIRS" }];
    await allowed({ THEIRS: "s3cret" }).ask({ url, headers });
    expect(seen[0]?.headers.authorization).toBe("Bearer s3cret");
  });

  const OWN = [
    ...["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CONNECTORS_TOKEN"],
    ...["AWS_SECRET_ACCESS_KEY", "AWS_", "AZURE_CLIENT_SECRET", "GOOGLE_APPLICATION_CREDENTIALS"],
    ...["WRIT_HOME", "WRIT_", "aws_session_token", "Openai_Api_Key"],
  ];
  const IDENTITY = [
    ...["CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN", "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE"],
    ...["NODE_REPL_AUTH_TOKEN", "OPENAI_FEDERATION_RULE_ID", "OPENAI_IDENTITY_TOKEN_FILE"],
    "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
  ];

  it.each([...OWN, ...IDENTITY])("is refused when it is %s", async (valueEnvVar) => {
    const headers = [{ name: "X", value: "", valueEnvVar }];
    expect(await refusal(allowed({ [valueEnvVar]: "s3cret" }), { headers })).toEqual({
      code: -32602,
      message: `Cannot use the variable "${valueEnvVar}" in a header: it is kept for this executor, expected another variable`,
    });
  });

  it("is refused for everything that no command inherits", () => {
    const env = Object.fromEntries(IDENTITY.map((name) => [name, "x"]));
    expect(childEnvironment({ envPolicy: null, env }, {})).toEqual({});
  });

  it.each([
    ["unset", "THEIRS", {}],
    ["empty", "THEIRS", { THEIRS: "" }],
    ["without a name", "", {}],
    ["of the language, not of the environment", "constructor", {}],
    ["of the language, not of the environment", "__proto__", {}],
  ])("is refused when it is %s (%j)", async (_, valueEnvVar, env) => {
    const headers = [{ name: "X", value: "v", valueEnvVar }];
    expect(await refusal(allowed(env), { headers })).toEqual({
      code: -32602,
      message: `Cannot use the variable "${valueEnvVar}" in a header: it is unset or empty, expected a value`,
    });
  });

  it("is refused without its value when that breaks the line", async () => {
    const headers = [{ name: "X", value: "", valueEnvVar: "THEIRS" }];
    const error = await refusal(allowed({ THEIRS: "s3cret\r\nY: 1" }), { headers });
    expect(error?.code).toBe(-32602);
    expect(error?.message).not.toContain("s3cret");
  });
});

describe("http/request refuses", () => {
  it("a URL that is not of the web, by the sentence clients know", async () => {
    expect(await refusal(allowed(), { url: "ftp://127.0.0.1/" })).toEqual({
      code: -32602,
      message: "http/request only supports http and https URLs, got ftp",
    });
  });

  it.each([
    ["a file", { url: "file:///etc/passwd" }],
    ["bytes in the URL", { url: "data:,a" }],
    ["a relative URL", { url: "/a" }],
    ["an empty URL", { url: "" }],
    ["a URL without a host", { url: "http://" }],
    ["an empty method", { method: "" }],
    ["a method with a blank", { method: "GET /" }],
    ["a method that breaks the line", { method: "GET\r\nX: 1" }],
    ["a tunnel", { method: "connect" }],
    ["an echo of the headers", { method: "TRACE" }],
    ["a value that breaks the line", { headers: [{ name: "X", value: "a\r\nY: 1" }] }],
    ["a value with a bare line feed", { headers: [{ name: "X", value: "a\nb" }] }],
    ["a value with a NUL", { headers: [{ name: "X", value: "a\0" }] }],
    ["a value beyond ASCII", { headers: [{ name: "X", value: "ä" }] }],
    ["an empty name", { headers: [{ name: "", value: "a" }] }],
    ["a name with a colon", { headers: [{ name: "X:", value: "a" }] }],
    ["a name that breaks the line", { headers: [{ name: "X\r\nY", value: "a" }] }],
    ["a framing of its own", { headers: [{ name: "Transfer-Encoding", value: "chunked" }] }],
    ["another length", { headers: [{ name: "content-length", value: "9" }], bodyBase64: "" }],
    ["a connection of its own", { headers: [{ name: "Connection", value: "upgrade" }] }],
    [
      "two hosts",
      {
        headers: [
          { name: "Host", value: "a" },
          { name: "host", value: "b" },
        ],
      },
    ],
    ["a body that is not base64", { bodyBase64: "a" }],
    ["a time before now", { timeoutMs: -1 }],
    ["half a millisecond", { timeoutMs: 0.5 }],
    ["a policy nobody knows", { redirectPolicy: "maybe" }],
    ["an id as long as a body", { requestId: "r".repeat(1025) }],
  ])("%s, before anything is sent", async (_, params) => {
    expect((await refusal(allowed(), params))?.code).toBe(-32602);
  });

  it("but takes the length that the body has", async () => {
    const { url, seen } = await target((_, response) => response.end());
    const headers = [{ name: "Content-Length", value: "2" }];
    await allowed().ask({ url, method: "PUT", headers, bodyBase64: btoa("ab") });
    expect(seen[0]).toMatchObject({ body: "ab", headers: { "content-length": "2" } });
  });
});
