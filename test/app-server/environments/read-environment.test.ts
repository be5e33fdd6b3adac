import { describe, expect, it } from "vitest";
import { readEnvironment } from "../../../src/app-server/environments/read-environment.ts";
import { environmentMethods } from "../../../src/app-server/protocol/environment-methods.ts";

const read = (params: object) =>
  readEnvironment(
    environmentMethods.add.params.parse({
      environmentId: "box",
      execServerUrl: "wss://box.example/exec",
      ...params,
    }),
  );

const SECRET = "tok-SECRET-1";

describe("readEnvironment", () => {
  it("reads an address, with 10 s to connect", () => {
    expect(read({})).toEqual({
      where: { kind: "url", url: "wss://box.example/exec" },
      shown: "wss://box.example/exec",
      headers: {},
      connectTimeoutMs: 10_000,
    });
    expect(read({ connectTimeoutMs: 50 }).connectTimeoutMs).toBe(50);
  });

  it("takes null for absent", () => {
    const nulls = { authBearerToken: null, websocketRequestId: null, connectTimeoutMs: null };
    expect(read({ ...nulls, skills: null })).toEqual(read({}));
  });

  it.each([
    "wss://box.example",
    "ws://127.0.0.1:4500",
    "ws://127.9.9.9:1",
    "ws://[::1]:4500/",
    "unix:///run/exec.sock",
  ])("sends a token to %s", (execServerUrl) => {
    const { headers } = read({ execServerUrl, authBearerToken: SECRET, websocketRequestId: "r1" });
    expect(headers).toEqual({ authorization: `Bearer ${SECRET}`, "x-request-id": "r1" });
  });

  it.each([
    "ws://box.example",
    "ws://10.0.0.1:4500",
    "ws://localhost:4500",
    "ws://127.0.0.1.example:1",
    "ws://0.0.0.0:1",
    "ws://[::]:1",
    "ws://[::ffff:10.0.0.1]:1",
  ])("sends neither a token nor a name of a request to %s", (execServerUrl) => {
    const open = /^exec-server protocol error: headers would travel in the open/;
    expect(() => read({ execServerUrl, authBearerToken: SECRET })).toThrow(open);
    expect(() => read({ execServerUrl, websocketRequestId: "r1" })).toThrow(open);
    expect(read({ execServerUrl }).headers).toEqual({});
  });

  it("leaves out of messages what may be a secret in an address", () => {
    const { shown, where } = read({ execServerUrl: `wss://box.example/x?token=${SECRET}#y` });
    expect(shown).toBe("wss://box.example/x");
    expect(where).toMatchObject({ url: expect.stringContaining(SECRET) });
  });

  it.each([
    ["an empty id", { environmentId: "" }, "environment id cannot be empty"],
    ["a blank id", { environmentId: " \t" }, "environment id cannot be empty"],
    ["the id of this machine", { environmentId: "local" }, "environment id `local` is reserved"],
    ["an endless id", { environmentId: "x".repeat(257) }, "expected at most 256"],
    ["no address", { execServerUrl: "" }, "environment requires an exec-server url"],
    ["the address none", { execServerUrl: "none" }, "environment requires an exec-server url"],
    ["an address of the web", { execServerUrl: "https://box.example" }, "expected ws://, wss://"],
    ["a relative socket", { execServerUrl: "unix://run/x" }, "expected ws://, wss:// or unix:///"],
    ["what is no address", { execServerUrl: "ws://" }, "expected ws://, wss:// or unix:///"],
    ["an empty token", { authBearerToken: "" }, "authBearerToken is empty or not printable"],
    ["a token of two lines", { authBearerToken: `${SECRET}\r\nx: y` }, "authBearerToken is empty"],
    ["a name of two words", { websocketRequestId: "a b" }, "websocketRequestId is empty or not"],
    [
      "a user in the address",
      { execServerUrl: `wss://user:${SECRET}@box.example` },
      "names a user, expected authBearerToken instead",
    ],
    ["skills that it would need", { skills: { required: ["a"] } }, "cannot be checked"],
  ])("refuses %s", (_, params, message) => {
    expect(() => read(params)).toThrow(
      expect.objectContaining({
        wireCode: -32600,
        message: expect.stringMatching(/^exec-server protocol error: (?!.*SECRET)/),
      }),
    );
    expect(() => read(params)).toThrow(message);
  });
});
