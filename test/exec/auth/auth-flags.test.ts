import { describe, expect, it } from "vitest";
import { type AuthFlags, readAuthFlags } from "../../../src/exec/auth/auth-flags.ts";
import { refuseOpenListener, refuseUnusedAuth } from "../../../src/exec/auth/open-listener.ts";
import { readTrustFlags } from "../../../src/exec/auth/trust-flags.ts";
import { parseListenAddress } from "../../../src/exec/server/listen-address.ts";

const TOKEN = { "ws-auth": "capability-token" };
const SIGNED = { "ws-auth": "signed-bearer-token" };
const HEX = "A1".repeat(32);

describe("readAuthFlags", () => {
  it("asks for nothing when no flag is given", () => {
    expect(readAuthFlags({})).toEqual({ kind: "none" });
  });

  it("reads both forms of a capability token", () => {
    expect(readAuthFlags({ ...TOKEN, "ws-token-file": "/t" })).toEqual({
      kind: "tokenFile",
      file: "/t",
    });
    expect(readAuthFlags({ ...TOKEN, "ws-token-sha256": HEX })).toEqual({
      kind: "tokenDigest",
      sha256: HEX.toLowerCase(),
    });
  });

  it("reads a signed token and tolerates 30 s of skew unless told otherwise", () => {
    const secret = { ...SIGNED, "ws-shared-secret-file": "/s" };
    expect(readAuthFlags(secret)).toEqual({
      kind: "signedToken",
      secretFile: "/s",
      issuer: undefined,
      audience: undefined,
      clockSkewSeconds: 30,
    });
    const told = { "ws-issuer": "i", "ws-audience": "a", "ws-max-clock-skew-seconds": "0" };
    expect(readAuthFlags({ ...secret, ...told })).toMatchObject({
      issuer: "i",
      audience: "a",
      clockSkewSeconds: 0,
    });
  });

  it.each<[string, AuthFlags, RegExp]>([
    ["an unknown mode", { "ws-auth": "none" }, /"--ws-auth none": the word is unknown, expected/],
    ["an empty mode", { "ws-auth": "" }, /"--ws-auth": its value is empty/],
    ["a token without a mode", { "ws-token-file": "/t" }, /there is no --ws-auth, expected/],
    ["a digest without a mode", { "ws-token-sha256": HEX }, /there is no --ws-auth/],
    ["a secret without a mode", { "ws-shared-secret-file": "/s" }, /there is no --ws-auth/],
    ["an issuer without a mode", { "ws-issuer": "i" }, /there is no --ws-auth/],
    ["an audience without a mode", { "ws-audience": "a" }, /there is no --ws-auth/],
    ["a skew without a mode", { "ws-max-clock-skew-seconds": "1" }, /there is no --ws-auth/],
    ["neither token form", TOKEN, /there is no token, expected exactly one of/],
    [
      "both token forms",
      { ...TOKEN, "ws-token-file": "/t", "ws-token-sha256": HEX },
      /both are given, expected exactly one of --ws-token-file and --ws-token-sha256/,
    ],
    ["an empty file name", { ...TOKEN, "ws-token-file": " " }, /"--ws-token-file": its value/],
    ["a short digest", { ...TOKEN, "ws-token-sha256": "ab" }, /expected 64 hexadecimal digits/],
    [
      "a secret for a capability token",
      { ...TOKEN, "ws-token-file": "/t", "ws-shared-secret-file": "/s" },
      /"--ws-shared-secret-file": it needs --ws-auth signed-bearer-token/,
    ],
    ["a signed token without a secret", SIGNED, /there is no secret/],
    [
      "a token for a signed token",
      { ...SIGNED, "ws-shared-secret-file": "/s", "ws-token-file": "/t" },
      /"--ws-token-file": it needs --ws-auth capability-token/,
    ],
    ...["-1", "1.5", "1e2", "301", "99999", "x", "0x1"].map((skew): [string, AuthFlags, RegExp] => [
      `a skew of ${skew}`,
      { ...SIGNED, "ws-shared-secret-file": "/s", "ws-max-clock-skew-seconds": skew },
      /expected a number from 0 to 300/,
    ]),
  ])("refuses %s", (_, flags, message) => {
    expect(() => readAuthFlags(flags)).toThrow(
      expect.objectContaining({ code: "invalidFlags", message: expect.stringMatching(message) }),
    );
  });
});

describe("readTrustFlags", () => {
  it("requires a signature only where it is told to, and needs keys for it", () => {
    expect(readTrustFlags({})).toEqual({ kind: "none" });
    expect(readTrustFlags({ trust: "/k" })).toMatchObject({ file: "/k", unsigned: "allowed" });
    expect(readTrustFlags({ trust: "/k", "require-signed": true })).toMatchObject({
      unsigned: "refused",
    });
    expect(() => readTrustFlags({ "require-signed": true })).toThrow(/expected --trust KEYFILE/);
    expect(() => readTrustFlags({ trust: "" })).toThrow(/its value is empty/);
  });
});

describe("parseListenAddress", () => {
  it.each([
    [undefined, { kind: "tcp", host: "127.0.0.1", port: 0 }],
    ["ws://0.0.0.0:65535", { kind: "tcp", host: "0.0.0.0", port: 65_535 }],
    ["ws://[::1]:80", { kind: "tcp", host: "::1", port: 80 }],
    ["stdio", { kind: "stdio" }],
    ["stdio://", { kind: "stdio" }],
    ["unix:///run/a b.sock", { kind: "unix", path: "/run/a b.sock" }],
  ])("reads %s", (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });

  it.each([
    ...["", "ws", "ws://", "ws://localhost:1", "ws://a.example:1", "ws://127.0.0.1"],
    ...["ws://127.0.0.1:", "ws://127.0.0.1:65536", "ws://127.0.0.1:-1", "ws://127.0.0.1:1/"],
    ...["ws://127.0.0.1:1/path", "ws://127.0.0.1:1?q", "ws://user@127.0.0.1:1", "ws://127.1:1"],
    ...["ws://::1:80", "ws://[127.0.0.1]:1", "ws://[::1%lo]:1", "ws://[]:1", "ws://:1"],
    ...["wss://127.0.0.1:1", "WS://127.0.0.1:1", "http://127.0.0.1:1", " ws://127.0.0.1:1"],
    ...["unix://", "unix://relative.sock", "unix:/run/a.sock", "stdio:///", "ws://127.0.0.1:1\n"],
  ])("refuses %j and names the three forms", (text) => {
    expect(() => parseListenAddress(text)).toThrow(/ws:\/\/IP:PORT, stdio or unix:\/\/PATH/);
  });
});

describe("refuseOpenListener", () => {
  const NONE = { kind: "none" } as const;

  it.each([
    "127.0.0.1",
    "127.255.0.9",
    "[::1]",
    "[0:0::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
  ])("lets %s be without auth", (host) => {
    expect(() => refuseOpenListener(parseListenAddress(`ws://${host}:0`), NONE)).not.toThrow();
  });

  it.each(["0.0.0.0", "[::]", "[::ffff:0.0.0.0]", "10.0.0.1", "128.0.0.1", "[::2]", "[fe80::1]"])(
    "refuses %s without auth, and only without",
    (host) => {
      const address = parseListenAddress(`ws://${host}:0`);
      expect(() => refuseOpenListener(address, NONE)).toThrow(
        expect.objectContaining({ code: "openListener" }),
      );
      expect(() => refuseOpenListener(address, { kind: "tokenFile" })).not.toThrow();
    },
  );

  it("refuses a host name, which may lead anywhere", () => {
    const address = { kind: "tcp", host: "localhost", port: 0 } as const;
    expect(() => refuseOpenListener(address, NONE)).toThrow(/other machines reach it/);
  });

  it("leaves socket files and stdio to the system", () => {
    for (const text of ["unix:///run/a.sock", "stdio"]) {
      expect(() => refuseOpenListener(parseListenAddress(text), NONE)).not.toThrow();
    }
  });
});

describe("refuseUnusedAuth", () => {
  it("refuses auth on stdio, where nobody would be asked", () => {
    const auth = { kind: "tokenFile" } as const;
    expect(() => refuseUnusedAuth(parseListenAddress("stdio"), auth)).toThrow(/nobody is asked/);
    for (const text of ["ws://127.0.0.1:0", "unix:///run/a.sock"]) {
      expect(() => refuseUnusedAuth(parseListenAddress(text), auth)).not.toThrow();
    }
    expect(() => refuseUnusedAuth(parseListenAddress("stdio"), { kind: "none" })).not.toThrow();
  });
});
