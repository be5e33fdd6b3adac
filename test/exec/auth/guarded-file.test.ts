import { generateKeyPairSync } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadBearerAuth } from "../../../src/exec/auth/bearer-auth.ts";
import { guardProblem, readGuardedFile } from "../../../src/exec/auth/guarded-file.ts";
import { keyId, readSigningKey, readTrustedKeys } from "../../../src/exec/auth/trusted-keys.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fileOf, keyPair, pemOf } from "./support/key-files.ts";

const unusable = (message: RegExp) =>
  expect.objectContaining({ code: "unusableFile", message: expect.stringMatching(message) });

describe("readGuardedFile", () => {
  it("reads text without the white space around it", () => {
    expect(readGuardedFile(fileOf(" secret\r\n"), "secret")).toBe("secret");
    expect(readGuardedFile(fileOf("secret", 0o400), "secret")).toBe("secret");
    expect(readGuardedFile(fileOf("key", 0o644), "trusted")).toBe("key");
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o610, 0o777])("refuses a secret of mode %o", (mode) => {
    const file = fileOf("secret", mode);
    expect(() => readGuardedFile(file, "secret")).toThrow(unusable(/run: chmod 600/));
  });

  it.each([0o664, 0o646])("refuses keys of mode %o, which others can replace", (mode) => {
    const file = fileOf("key", mode);
    expect(() => readGuardedFile(file, "trusted")).toThrow(unusable(/run: chmod go-w/));
  });

  it("refuses what is missing, no file, empty, no text, or too long", () => {
    const folder = temporaryFolder();
    const missing = path.join(folder, "missing");
    const inside = path.join(folder, "inside");
    mkdirSync(inside);
    expect(() => readGuardedFile(missing, "secret")).toThrow(
      unusable(/: there is no such file, expected a file that can be read$/),
    );
    expect(() => readGuardedFile(inside, "secret")).toThrow(unusable(/not a regular file/));
    expect(() => readGuardedFile("/dev/null", "secret")).toThrow(unusable(/not a regular file/));
    expect(() => readGuardedFile(fileOf(" \n"), "secret")).toThrow(unusable(/it is empty/));
    const bytes = Uint8Array.of(0xff, 0xfe);
    expect(() => readGuardedFile(fileOf(bytes), "secret")).toThrow(unusable(/not UTF-8/));
    const long = "x".repeat(70_000);
    expect(() => readGuardedFile(fileOf(long), "secret")).toThrow(unusable(/at most 65536/));
  });

  it("refuses a file of another user, unless that is root", () => {
    const facts = { isFile: true, mode: 0o100600, size: 1 };
    expect(guardProblem({ ...facts, uid: 1001 }, "secret", 1000)).toMatch(/belongs to user 1001/);
    expect(guardProblem({ ...facts, uid: 1000 }, "secret", 1000)).toBeUndefined();
    expect(guardProblem({ ...facts, uid: 0 }, "secret", 1000)).toBeUndefined();
  });
});

describe("loadBearerAuth", () => {
  it("refuses a secret under 32 bytes, white space not counted", () => {
    const settings = { kind: "signedToken", issuer: undefined, audience: undefined } as const;
    const load = (text: string) =>
      loadBearerAuth({ ...settings, clockSkewSeconds: 30, secretFile: fileOf(text) });
    expect(() => load(`${"s".repeat(31)}\n`)).toThrow(
      unusable(/has 31 bytes, expected at least 32/),
    );
    expect(load(`${"s".repeat(32)}\n`)).toMatchObject({ secret: Buffer.from("s".repeat(32)) });
  });

  it.each(["two words", "schlüssel", "tab\tinside"])("refuses %j, no header carries it", (text) => {
    const file = fileOf(text);
    expect(() => loadBearerAuth({ kind: "tokenFile", file })).toThrow(unusable(/visible ASCII/));
  });
});

describe("readTrustedKeys", () => {
  it("reads every key of a file, with remarks between them", () => {
    const [one, two] = [keyPair(), keyPair()];
    const file = fileOf(`# ci\n${one.publicPem}\n# desk\n${two.publicPem}`, 0o644);
    const ids = [keyId(one.publicKey), keyId(two.publicKey)];
    expect([...readTrustedKeys(file).keys()]).toEqual(ids);
    expect(readSigningKey(fileOf(two.privatePem)).id).toBe(ids[1]);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pair = keyPair();
  it.each([
    ["no key", "# nobody", /no key/],
    ["a private key", pair.privatePem, /holds a PRIVATE KEY, expected a PUBLIC KEY/],
    ["a key of another kind", pemOf(rsa.publicKey), /of type rsa, expected ed25519/],
    [
      "a key that was cut",
      pair.publicPem.replace(/.{20}\n-----END/, "\n-----END"),
      /cannot be read/,
    ],
    ["a block without its end", pair.publicPem.replace(/-----END.*/s, ""), /belongs to no key/],
    ["a good key and half a key", `${pair.publicPem}\n-----BEGIN PUBLIC KEY-----`, /no key/],
    ["words", `${pair.publicPem}\ntrust me`, /belongs to no key/],
  ])("refuses %s", (_, text, message) => {
    const file = fileOf(text);
    expect(() => readTrustedKeys(file)).toThrow(unusable(message));
  });

  it("refuses a signing key that is public or of another kind", () => {
    const open = fileOf(pair.publicPem);
    const other = fileOf(pemOf(rsa.privateKey));
    expect(() => readSigningKey(open)).toThrow(unusable(/cannot be read/));
    expect(() => readSigningKey(other)).toThrow(unusable(/of type rsa/));
    const lax = fileOf(pair.privatePem, 0o644);
    expect(() => readSigningKey(lax)).toThrow(unusable(/chmod 600/));
  });
});
