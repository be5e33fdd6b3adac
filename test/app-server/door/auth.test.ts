/** The messages of a listener that asks for a token: HTTP 401, the text as its body. */
import { createHash } from "node:crypto";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { createAppAuthorize } from "../../../src/cli/app/app-authorize.ts";
import type { AuthFlags } from "../../../src/exec/index.ts";
import { fileOf } from "../../exec/auth/support/key-files.ts";
import { RawWire } from "../../rpc/support/raw-wire.ts";
import { connectTo } from "./support/connect.ts";
import { upgrade } from "./support/http.ts";
import { openDoor, openPort } from "./support/open-door.ts";

const SERVED = { status: 101, body: "" };
const refused = (body: string) => ({ status: 401, body });
const SECRET = "0123456789abcdef0123456789abcdef";
const HOUR = 3_600;
const now = () => Math.floor(Date.now() / 1000);

const capability = () => ({
  "ws-auth": "capability-token",
  "ws-token-file": fileOf(" tok-1\n"),
});
const signed = (more: AuthFlags = {}) => ({
  "ws-auth": "signed-bearer-token",
  "ws-shared-secret-file": fileOf(`${SECRET}\n`),
  ...more,
});
const CLAIMED = { "ws-issuer": "i", "ws-audience": "a" };

function jwt(claims: Readonly<Record<string, unknown>>, { secret = SECRET, alg = "HS256" } = {}) {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(Buffer.from(secret));
}

describe("a capability token", () => {
  it.each([
    ["none", [], "missing websocket bearer token"],
    ["another scheme", ["Authorization: Basic dG9rLTE="], "invalid authorization header"],
    ["no token behind the scheme", ["Authorization: Bearer "], "invalid authorization header"],
    ["a wrong one", ["Authorization: Bearer tok-2"], "invalid websocket bearer token"],
    [
      "two headers",
      ["Authorization: Bearer tok-1", "Authorization: Bearer tok-1"],
      "invalid authorization header",
    ],
  ])("is missed in a request with %s", async (_, headers, body) => {
    const { address, server } = openPort(capability());
    expect(await upgrade(await address, ...headers)).toEqual(refused(body));
    expect(server.peers).toEqual([]);
  });

  it("opens the door, whatever the case of its scheme", async () => {
    const at = await openPort(capability()).address;
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect(await upgrade(at, `Authorization: ${scheme} tok-1`)).toEqual(SERVED);
    }
    const wire = new RawWire(await connectTo(at, { authorization: "Bearer tok-1" }));
    expect(await wire.ask({ id: 1, method: "version" })).toMatchObject({ id: 1 });
  });

  it("is known by its digest alone, and its file is hidden from commands", async () => {
    const sha256 = createHash("sha256").update("tok-1").digest("hex");
    const at = await openPort({ "ws-auth": "capability-token", "ws-token-sha256": sha256 }).address;
    expect(await upgrade(at, "Authorization: Bearer tok-1")).toEqual(SERVED);
    expect(await upgrade(at, `Authorization: Bearer ${sha256}`)).toMatchObject({ status: 401 });
    const flags = capability();
    const { address, door } = openPort(flags);
    await address;
    expect(door()).toMatchObject({ reachable: false, secrets: [flags["ws-token-file"]] });
  });

  it("is asked for on a socket file too", async () => {
    const at = await openDoor({ ...capability(), listen: "unix://" }).address;
    expect(await upgrade(at)).toEqual(refused("missing websocket bearer token"));
    expect(await upgrade(at, "Authorization: Bearer tok-1")).toEqual(SERVED);
  });
});

describe("a signed token", () => {
  const good = () => ({ exp: now() + HOUR, iss: "i", aud: "a" });

  it.each<[string, () => Promise<string>, string]>([
    ["is none", async () => "a.b", "invalid websocket jwt"],
    ["has another secret", () => jwt(good(), { secret: `${SECRET}x` }), "invalid websocket jwt"],
    [
      "has another algorithm",
      () => jwt(good(), { alg: "HS512", secret: SECRET.repeat(2) }),
      "invalid websocket jwt",
    ],
    ["never expires", () => jwt({ iss: "i", aud: "a" }), "invalid websocket jwt"],
    ["is over", () => jwt({ ...good(), exp: now() - HOUR }), "expired websocket jwt"],
    [
      "is over and somebody else's",
      () => jwt({ ...good(), exp: now() - HOUR, iss: "x" }),
      "expired websocket jwt",
    ],
    ["is early", () => jwt({ ...good(), nbf: now() + HOUR }), "websocket jwt is not valid yet"],
    ["has another issuer", () => jwt({ ...good(), iss: "x" }), "websocket jwt issuer mismatch"],
    ["has no issuer", () => jwt({ exp: now() + HOUR, aud: "a" }), "websocket jwt issuer mismatch"],
    [
      "has another audience",
      () => jwt({ ...good(), aud: ["x"] }),
      "websocket jwt audience mismatch",
    ],
    [
      "has no audience",
      () => jwt({ exp: now() + HOUR, iss: "i" }),
      "websocket jwt audience mismatch",
    ],
    [
      "has another issuer and another secret",
      () => jwt({ ...good(), iss: "x" }, { secret: `${SECRET}x` }),
      "invalid websocket jwt",
    ],
  ])("that %s is refused by name", async (_, make, body) => {
    const { address, server } = openPort(signed(CLAIMED));
    expect(await upgrade(await address, `Authorization: Bearer ${await make()}`)).toEqual(
      refused(body),
    );
    expect(server.peers).toEqual([]);
  });

  it("opens the door, with one audience or several, within the skew", async () => {
    const at = await openPort(signed(CLAIMED)).address;
    for (const claims of [{}, { aud: ["b", "a"] }, { exp: now() - 20 }, { nbf: now() + 20 }]) {
      const token = await jwt({ ...good(), ...claims });
      expect(await upgrade(at, `Authorization: Bearer ${token}`)).toEqual(SERVED);
    }
  });

  it("is held to the skew that was asked for", async () => {
    const at = await openPort(signed({ "ws-max-clock-skew-seconds": "0" })).address;
    const token = await jwt({ exp: now() - 20 });
    expect(await upgrade(at, `Authorization: Bearer ${token}`)).toEqual(
      refused("expired websocket jwt"),
    );
  });

  it("is not let in by looking for the reason, whichever claim is wrong", async () => {
    const secret = Buffer.from(SECRET);
    const claims = { issuer: "i", audience: "a", clockSkewSeconds: 0 };
    const authorize = createAppAuthorize({ kind: "signedToken", secret, ...claims });
    for (const wrong of [{ iss: "x" }, { aud: "x" }, { nbf: now() + HOUR }, { exp: 1 }]) {
      const authorization = [`Bearer ${await jwt({ ...good(), ...wrong })}`];
      const request = Object.assign(new IncomingMessage(new Socket()), {
        headersDistinct: { authorization },
      });
      expect(await authorize(request)).toMatchObject({ kind: "refused", status: 401 });
    }
  });
});
