import { describe, expect, it } from "vitest";
import { createExecutorId } from "../../../src/exec/auth/executor-id.ts";
import { createSigner } from "../../../src/exec/auth/signer.ts";
import { readTrustedKeys } from "../../../src/exec/auth/trusted-keys.ts";
import { UsedNonces } from "../../../src/exec/auth/used-nonces.ts";
import { fileOf, keyPair } from "../auth/support/key-files.ts";
import {
  AUDIENCE,
  executor,
  NOW,
  overTheWire,
  type Params,
  START,
  signed,
} from "./support/signed-start.ts";

const refusal = (message: RegExp, code = "notAllowed") =>
  expect.objectContaining({ code, field: "writ.signed", message: expect.stringMatching(message) });
const CHANGED = refusal(/the signature is not of this request/);
const MINUTE = 60_000;

describe("a signed request", () => {
  it("is accepted as it was signed, whatever the order of its members", () => {
    const params = signed();
    expect(executor().accept(params)).toMatchObject({ audience: AUDIENCE, version: 1 });
    const reversed = Object.fromEntries(Object.entries(params).reverse());
    expect(executor().accept(reversed)).toBeDefined();
  });

  it("travels from key files to an executor that trusts them", () => {
    const { privatePem, publicPem } = keyPair();
    const audience = createExecutorId("build-1");
    const signer = createSigner({ keyFile: fileOf(privatePem), audience });
    const keys = readTrustedKeys(fileOf(publicPem));
    const { accept } = executor({ keys, audience, clock: Date.now });
    const request = { method: "process/start", params: { ...START, shellSnapshot: undefined } };
    expect(accept(overTheWire(signer.sign(request)))).toBeDefined();
    expect(accept(overTheWire(signer.sign(request)))).toBeDefined();
    expect(() => executor().accept(overTheWire(signer.sign(request)))).toThrow(
      refusal(/its key is not trusted/),
    );
  });
});

describe("K11: a replay", () => {
  it("on the same executor is refused, also from another connection", () => {
    const { accept } = executor();
    const params = signed();
    accept(params);
    expect(() => accept(params)).toThrow(refusal(/used before/));
    expect(() => accept(overTheWire(params))).toThrow(refusal(/used before/));
  });

  it("on another thread is refused", () => {
    const metadata = { threadId: "6f1c1e5e-0000-4000-8000-000000000002", toolCallId: "call-1" };
    expect(() => executor().accept({ ...signed(), metadata })).toThrow(CHANGED);
  });

  it("on another executor, or on the same after it started again, is refused", () => {
    const id = createExecutorId("build-1");
    expect(id).toMatch(/^build-1\/[0-9a-f]{32}$/);
    expect(createExecutorId("build-1")).not.toBe(id);
    const params = signed(START, { audience: id });
    expect(() => executor().accept(params)).toThrow(refusal(/it is for "build-1\/[0-9a-f]{32}"/));
    expect(executor({ audience: id }).accept(params)).toBeDefined();
  });

  it("as another method is refused", () => {
    expect(() => executor().accept(signed(), "fs/remove")).toThrow(CHANGED);
  });

  it("after expiry is refused, give or take 30 s", () => {
    const { accept, setClock } = executor();
    setClock(NOW + MINUTE + 30_000);
    expect(accept(signed())).toBeDefined();
    setClock(NOW + MINUTE + 30_001);
    expect(() => accept(signed())).toThrow(refusal(/has expired/));
  });

  it("of what was signed before the server started is refused", () => {
    const at = (issuedAt: number) => signed(START, { issuedAt, expiresAt: NOW + MINUTE });
    expect(executor().accept(at(NOW - 30_000))).toBeDefined();
    expect(() => executor().accept(at(NOW - 30_001))).toThrow(
      refusal(/before this server started/),
    );
  });

  it.each([
    ["for longer than five minutes", NOW, NOW + 5 * MINUTE + 1, /good for 300001 ms/],
    ["for no time", NOW, NOW, /good for 0 ms/],
    ["backwards", NOW + 1, NOW, /good for -1 ms/],
    ["from the future", NOW + 30_001, NOW + MINUTE, /signed in the future/],
  ])("%s cannot be prepared", (_, issuedAt, expiresAt, message) => {
    const params = signed(START, { issuedAt, expiresAt });
    expect(() => executor().accept(params)).toThrow(refusal(message));
  });
});

describe("K12: what is taken off a request", () => {
  it("cannot be its signature where one is required", () => {
    const { accept } = executor();
    for (const writ of [undefined, null, {}, [], "signed", { signed: undefined }]) {
      expect(() => accept({ ...signed(), writ })).toThrow(refusal(/it is not signed/));
    }
    const { writ: _, ...bare } = signed();
    expect(() => accept(bare)).toThrow(refusal(/it is not signed/));
    expect(executor({ unsigned: "allowed" }).accept(bare)).toBeUndefined();
  });

  it.each(Object.keys(START).filter((name) => name !== "writ"))("cannot be %s", (name) => {
    const { [name]: _, ...params } = signed();
    expect(() => executor({ unsigned: "allowed" }).accept(params)).toThrow(CHANGED);
  });

  it("cannot be another member of writ", () => {
    const { writ } = signed() as { writ: Params };
    const params = { ...signed(), writ: { signed: writ.signed } };
    expect(() => executor().accept(params)).toThrow(CHANGED);
  });
});

describe("K14: no sandbox", () => {
  const waivers: [string, unknown][] = [
    ["null", null],
    ["a disabled profile", { permissions: { type: "disabled" } }],
    ["an empty object", {}],
    ["false", false],
  ];

  it.each(waivers)("in the form of %s is not what was signed with one", (_, sandbox) => {
    expect(() => executor().accept({ ...signed(), sandbox })).toThrow(CHANGED);
  });

  it("in one form is not no sandbox in another", () => {
    const { sandbox: _, ...absent } = START;
    expect(() => executor().accept({ ...signed(absent), sandbox: null })).toThrow(CHANGED);
    expect(() =>
      executor().accept({ ...signed({ ...START, sandbox: null }), sandbox: {} }),
    ).toThrow(CHANGED);
    expect(executor().accept(signed({ ...START, sandbox: null }))).toBeDefined();
  });
});

describe("K16: a path", () => {
  it.each([
    "file:///srv/app/",
    "file:///srv/%61pp",
    "file://host/srv/app",
    "file:///srv/app/..",
    "FILE:///srv/app",
  ])("spelled %s is another path than the one that was signed", (cwd) => {
    expect(() => executor().accept({ ...signed(), cwd })).toThrow(CHANGED);
  });
});

describe("writ.signed", () => {
  const { writ } = signed() as { writ: { signed: Record<string, unknown> } };
  const { signature } = writ.signed as { signature: string };

  it.each<[string, unknown]>([
    ["null", null],
    ["no object", "yes"],
    ["of another version", { ...writ.signed, version: 2 }],
    ["with a member nobody knows", { ...writ.signed, scope: "all" }],
    ["with its signature in capitals", { ...writ.signed, signature: signature.toUpperCase() }],
    ["with half a signature", { ...writ.signed, signature: signature.slice(64) }],
    ["with a short nonce", { ...writ.signed, nonce: "00" }],
    ["with a time that is no whole number", { ...writ.signed, issuedAt: NOW + 0.5 }],
    ["with a time that is a text", { ...writ.signed, expiresAt: String(NOW) }],
    ["without an audience", { ...writ.signed, audience: "" }],
  ])("is refused when it is %s, also where none is needed", (_, value) => {
    const params = { ...START, writ: { ...writ, signed: value } };
    expect(() => executor({ unsigned: "allowed" }).accept(params)).toThrow(
      refusal(/malformed/, "invalidRequest"),
    );
  });
});

describe("UsedNonces", () => {
  it("refuses what it cannot remember, and forgets only what has expired", () => {
    const nonces = new UsedNonces(2);
    expect(nonces.use("a", 10, 0)).toBe("new");
    expect(nonces.use("b", 20, 0)).toBe("new");
    expect(nonces.use("c", 30, 10)).toBe("full");
    expect(nonces.use("a", 10, 10)).toBe("used");
    expect(nonces.use("c", 30, 11)).toBe("new");
    expect(nonces.use("b", 20, 11)).toBe("used");
    expect(nonces.use("d", 30, 11)).toBe("full");
  });

  it("does not let in again what it forgot when the clock is set back", () => {
    const nonces = new UsedNonces(1);
    nonces.use("a", 10, 0);
    expect(nonces.use("b", 30, 11)).toBe("new");
    expect(nonces.use("a", 10, 0)).toBe("used");
  });

  it("makes a full executor refuse, and a refused request uses up nothing", () => {
    const { accept } = executor({ nonces: new UsedNonces(1) });
    const params = signed();
    expect(() => accept({ ...params, argv: ["id"] })).toThrow(CHANGED);
    accept(params);
    expect(() => accept(signed())).toThrow(refusal(/too many signatures/));
  });
});

describe("createExecutorId", () => {
  it.each(["", "a/b", "a b", "é", "x".repeat(65)])("refuses %j as a name", (name) => {
    expect(() => createExecutorId(name)).toThrow(/expected 1 to 64 of/);
  });
});
