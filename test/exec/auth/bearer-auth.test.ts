import { createHash, createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { type AuthFlags, readAuthFlags } from "../../../src/exec/auth/auth-flags.ts";
import { createAuthorize, loadBearerAuth } from "../../../src/exec/auth/bearer-auth.ts";
import { fileOf } from "./support/key-files.ts";
import { answerTo, listen, upgradeLines } from "./support/upgrade.ts";

const NOW = 1_800_000_000;
const SECRET = "0123456789abcdef0123456789abcdef";

/** What a listener with these flags answers to each set of headers. */
async function serverWith(flags: AuthFlags) {
  const auth = loadBearerAuth(readAuthFlags(flags));
  const listener = await listen({ authorize: createAuthorize(auth, () => NOW * 1000) });
  return {
    listener,
    ask: (...headers: string[]) => answerTo(listener, upgradeLines(headers)),
    bearer: (token: string) => answerTo(listener, upgradeLines([`Authorization: Bearer ${token}`])),
  };
}

const capability = () =>
  serverWith({ "ws-auth": "capability-token", "ws-token-file": fileOf("tok-1\n") });
const signed = (more: AuthFlags = {}) =>
  serverWith({
    "ws-auth": "signed-bearer-token",
    "ws-shared-secret-file": fileOf(`${SECRET}\n`),
    ...more,
  });

const SERVED = { status: 101, body: "" };
const refused = (body: string) => ({ status: 401, body });
const INVALID_HEADER = refused("invalid authorization header");

describe("case 20: a capability token", () => {
  it("lets in whoever shows it, whatever the case of the scheme", async () => {
    const { ask } = await capability();
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      expect(await ask(`Authorization: ${scheme} tok-1`)).toEqual(SERVED);
    }
    expect(await ask("authorization:   Bearer   tok-1  ")).toEqual(SERVED);
  });

  it("can be known by its digest alone", async () => {
    const sha256 = createHash("sha256").update("tok-1").digest("hex").toUpperCase();
    const flags = { "ws-auth": "capability-token", "ws-token-sha256": sha256 };
    const { bearer } = await serverWith(flags);
    expect(await bearer("tok-1")).toEqual(SERVED);
    expect(await bearer(sha256)).toEqual(refused("invalid websocket bearer token"));
  });

  it("is missed, told from a wrong one, and from a header that is none", async () => {
    const { ask } = await capability();
    expect(await ask()).toEqual(refused("missing websocket bearer token"));
    for (const wrong of ["tok-2", "tok-1x", "tok-", "TOK-1", `${"x".repeat(8_000)}`]) {
      const answer = await ask(`Authorization: Bearer ${wrong}`);
      expect(answer).toEqual(refused("invalid websocket bearer token"));
    }
  });

  it.each([
    "Basic dG9rLTE=",
    "Bearer",
    "Bearer ",
    "",
    "tok-1",
    "Bearertok-1",
    "Bearer tok-1 tok-1",
    "Bearer tok-1, Bearer tok-1",
    "Bearer\ttok-1",
    "Bearer t\u00f6k",
  ])("is not read out of %j", async (header) => {
    const { ask } = await capability();
    expect(await ask(`Authorization: ${header}`)).toEqual(INVALID_HEADER);
  });

  it("is not taken from one of two headers", async () => {
    const { ask } = await capability();
    const [good, bad] = ["Authorization: Bearer tok-1", "Authorization: Bearer no"];
    expect(await ask(good, bad)).toEqual(INVALID_HEADER);
    expect(await ask(bad, good)).toEqual(INVALID_HEADER);
    expect(await ask(good, good)).toEqual(INVALID_HEADER);
  });

  it("is not needed for readiness, and Origin is refused before it", async () => {
    const { listener, ask } = await capability();
    expect(await answerTo(listener, "GET /readyz HTTP/1.0")).toEqual({
      status: 200,
      body: "",
    });
    const headers = ["Authorization: Bearer tok-1", "Origin: http://127.0.0.1"];
    expect(await ask(...headers)).toEqual({ status: 403, body: "" });
  });
});

type Claims = Readonly<Record<string, unknown>>;
const jwt = (claims: Claims, secret = SECRET) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(secret));
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const INVALID = refused("invalid websocket jwt");
const EXPIRED = refused("expired websocket jwt");

describe("case 20: a signed token", () => {
  it("lets in whoever has one that is good now, give or take the skew", async () => {
    const { ask, bearer } = await signed();
    expect(await bearer(await jwt({ exp: NOW + 60 }))).toEqual(SERVED);
    expect(await bearer(await jwt({ exp: NOW - 29, nbf: NOW + 30 }))).toEqual(SERVED);
    expect(await bearer(await jwt({ exp: NOW - 30 }))).toEqual(EXPIRED);
    expect(await bearer(await jwt({ exp: NOW + 60, nbf: NOW + 31 }))).toEqual(INVALID);
    expect(await ask()).toEqual(refused("missing websocket bearer token"));
    expect(await ask("Authorization: Basic x")).toEqual(INVALID_HEADER);
  });

  it("takes the skew it was told", async () => {
    const { bearer } = await signed({ "ws-max-clock-skew-seconds": "0" });
    expect(await bearer(await jwt({ exp: NOW + 1 }))).toEqual(SERVED);
    expect(await bearer(await jwt({ exp: NOW }))).toEqual(EXPIRED);
  });

  it("checks issuer and audience where they are configured", async () => {
    const { bearer } = await signed({ "ws-issuer": "i", "ws-audience": "a" });
    const exp = NOW + 60;
    expect(await bearer(await jwt({ exp, iss: "i", aud: "a" }))).toEqual(SERVED);
    expect(await bearer(await jwt({ exp, iss: "i", aud: ["b", "a"] }))).toEqual(SERVED);
    for (const claims of [
      { iss: "i" },
      { aud: "a" },
      { iss: "x", aud: "a" },
      { iss: "i", aud: "x" },
    ]) {
      expect(await bearer(await jwt({ exp, ...claims }))).toEqual(INVALID);
    }
  });

  it.each<[string, () => Promise<string>]>([
    ["that never expires", () => jwt({})],
    ["whose expiry is a text", () => jwt({ exp: `${NOW + 60}` })],
    ["of another secret", () => jwt({ exp: NOW + 60 }, SECRET.replace("0", "1"))],
    ["of another algorithm", async () => signedByHand({ alg: "HS512" }, "sha512")],
    ["that is expired and of another secret", () => jwt({ exp: 1 }, `${SECRET}x`)],
    ["that is no token", async () => "a.b"],
    ["that is a capability", async () => SECRET],
    ["without a signature", async () => `${base64({ alg: "none" })}.${base64({ exp: NOW + 60 })}.`],
    [
      "with a member it must understand",
      async () => signedByHand({ alg: "HS256", crit: ["x"], x: 1 }),
    ],
    ["whose claims were changed", async () => changed(await jwt({ exp: NOW - 60 }))],
  ])("is refused one %s", async (_, make) => {
    const { bearer } = await signed();
    expect(await bearer(await make())).toEqual(INVALID);
  });

  it("would be let in when signed by hand with nothing wrong", async () => {
    const { bearer } = await signed();
    expect(await bearer(signedByHand({ alg: "HS256" }))).toEqual(SERVED);
  });
});

function signedByHand(header: Claims, hash = "sha256"): string {
  const text = `${base64(header)}.${base64({ exp: NOW + 60 })}`;
  return `${text}.${createHmac(hash, SECRET).update(text).digest("base64url")}`;
}

function changed(token: string): string {
  const [header, , signature] = token.split(".");
  return [header, base64({ exp: NOW + 60 }), signature].join(".");
}
