import { describe, expect, it } from "vitest";
import {
  type BoundProfile,
  bindProfile,
  boundDigest,
  firstWidening,
  narrow,
  type PermissionProfile,
  policyForMode,
  policyOfProfile,
  preserveDenies,
  profileDigest,
  profileOfPolicy,
  readCanonicalProfile,
  readExecContext,
  readSandboxState,
  type UnixSockets,
  uriOfNative,
  writeCanonicalProfile,
  writeExecContext,
  writeSandboxState,
} from "../../../src/policy/index.ts";
import { HOST, profileWith, wireOf } from "../support/profiles.ts";
import { expectRefusal } from "../support/refusal.ts";

const WORDS: readonly UnixSockets[] = ["none", "private", "host"];

const restricted = (unixSockets: UnixSockets): PermissionProfile =>
  readCanonicalProfile(wireOf([[":root", "read"]], { writ: { unixSockets } }));
const unrestricted = (unixSockets: UnixSockets): PermissionProfile => ({
  type: "managed",
  fileSystem: { type: "unrestricted" },
  network: { kind: "restricted" },
  unixSockets,
});
const external = (unixSockets: UnixSockets): PermissionProfile => ({
  type: "external",
  network: { kind: "restricted" },
  unixSockets,
});
const KINDS = [restricted, unrestricted, external];
const bound = (unixSockets: UnixSockets): BoundProfile =>
  bindProfile(restricted(unixSockets), HOST);

describe("the unix sockets of a profile", () => {
  it.each(KINDS)("are bound as they are said", (kind) => {
    for (const word of WORDS) {
      for (const externalSandbox of ["absent", "trusted"] as const) {
        const { unixSockets } = bindProfile(kind(word), { ...HOST, externalSandbox });
        expect(unixSockets).toBe(word);
      }
    }
  });

  it("are those of the host where there is no sandbox", () => {
    expect(bindProfile({ type: "disabled" }, HOST).unixSockets).toBe("host");
  });

  it.each(["read-only", "workspace-write"] as const)("are none in the mode %s", (mode) => {
    expect(bindProfile(profileOfPolicy(policyForMode(mode)), HOST).unixSockets).toBe("none");
  });

  it.each([
    wireOf([]),
    wireOf([], { writ: {} }),
    wireOf([], { writ: { unixSockets: "none" } }),
    { network: { enabled: true } },
    { type: "external", network: "enabled" },
  ])("are none in %j", (wire) => {
    expect(readCanonicalProfile(wire)).toMatchObject({ unixSockets: "none" });
  });

  it.each([true, "all", "None", null, {}])("are refused as %j", (unixSockets) => {
    const read = () => readCanonicalProfile(wireOf([], { writ: { unixSockets } }));
    expectRefusal(read, "unknown", "permissionProfile.writ.unixSockets");
  });

  it.each(WORDS)("are refused as %s beside disabled, where nothing holds them", (unixSockets) => {
    const wire = { type: "disabled", writ: { unixSockets } };
    expectRefusal(() => readCanonicalProfile(wire), "malformed", "writ.unixSockets");
  });
});

describe("a written profile", () => {
  const context = { workspaceRoots: [], settings: { windowsSandboxLevel: "disabled" } } as const;
  const state = readSandboxState({ permissionProfile: wireOf([]), sandboxCwd: "/r" });

  it.each(KINDS)("carries its unix sockets in the extension only", (kind) => {
    const profile = kind("private");
    expect(writeCanonicalProfile(profile, "carry").writ).toEqual({ unixSockets: "private" });
    for (const write of [
      () => writeCanonicalProfile(profile, "refuse"),
      () => writeExecContext({ ...context, profile }, "refuse"),
      () => writeSandboxState({ ...state, profile }, "refuse"),
    ]) {
      expectRefusal(write, "unrepresentable", "it has unix sockets");
    }
  });

  it.each(KINDS)("has no extension for none", (kind) => {
    expect(writeCanonicalProfile(kind("none"), "refuse")).not.toHaveProperty("writ");
    expect(writeCanonicalProfile(kind("none"), "carry")).not.toHaveProperty("writ");
  });

  it.each(WORDS)("reads back with %s from a remote executor's context and a state", (word) => {
    const profile = restricted(word);
    const remote = writeExecContext({ ...context, profile }, "carry");
    expect(readExecContext(remote).profile).toEqual(profile);
    const called = writeSandboxState({ ...state, profile }, "carry");
    expect(readSandboxState(called).profile).toEqual(profile);
  });

  it("is refused as a state of the first generation, which has no place for them", () => {
    const sandboxPolicy = policyForMode("read-only");
    const old = { ...state, generation: "G1", sandboxPolicy } as const;
    expect(writeSandboxState({ ...old, profile: restricted("none") }, "carry")).toHaveProperty(
      "sandboxPolicy",
    );
    const write = () => writeSandboxState({ ...old, profile: restricted("private") }, "carry");
    expectRefusal(write, "unrepresentable", "generation 1");
  });

  it("says as a policy what was lost", () => {
    const cwd = uriOfNative("/r");
    expect(policyOfProfile(restricted("none"), cwd).kind).toBe("exact");
    expect(policyOfProfile(restricted("host"), cwd)).toMatchObject({ lost: ["unix sockets"] });
    expect(policyOfProfile(external("private"), cwd)).toMatchObject({ lost: ["unix sockets"] });
  });
});

describe("unix sockets within bounds", () => {
  it.each(WORDS.flatMap((a, i) => WORDS.map((b, j) => [a, b, Math.min(i, j), i > j] as const)))(
    "of %s and %s: the stricter is kept, and more is a widening",
    (a, b, stricter, widens) => {
      expect(narrow(bound(a), bound(b)).unixSockets).toBe(WORDS[stricter]);
      expect(firstWidening(bound(a), bound(b))).toEqual(
        widens ? { what: "unixSockets", asked: a, allowed: b } : undefined,
      );
    },
  );

  it.each(WORDS)("stay %s under a profile without a sandbox", (word) => {
    const free = bindProfile({ type: "disabled" }, HOST);
    expect(narrow(bound(word), free).unixSockets).toBe(word);
    expect(narrow(free, bound(word)).unixSockets).toBe(word);
  });
});

describe("unix sockets through an override", () => {
  const keep = { mayDropDenies: false };
  const denying = (unixSockets: UnixSockets): PermissionProfile =>
    readCanonicalProfile(wireOf([["/r/secret", "deny"]], { writ: { unixSockets } }));

  it("are those the next profile states", () => {
    expect(preserveDenies(denying("host"), restricted("private"), keep)).toMatchObject({
      unixSockets: "private",
    });
    expect(preserveDenies(restricted("host"), profileWith([]), keep)).toMatchObject({
      unixSockets: "none",
    });
  });

  it.each(WORDS)("stay %s when the next waives the sandbox that denies need", (word) => {
    const next = preserveDenies(denying(word), { type: "disabled" }, keep);
    expect(next).toMatchObject({ type: "managed", unixSockets: word });
  });
});

describe("a digest", () => {
  it.each(KINDS)("differs for other unix sockets, symbolic and bound", (kind) => {
    const profiles = WORDS.map(kind);
    const host = { ...HOST, externalSandbox: "trusted" } as const;
    expect(new Set(profiles.map(profileDigest)).size).toBe(3);
    expect(new Set(profiles.map((one) => boundDigest(bindProfile(one, host)))).size).toBe(3);
  });

  it.each<[string, PermissionProfile, string, string]>([
    [
      "disabled",
      { type: "disabled" },
      "fdedf265a75be321caadd30735c60359d0dd716cb5ad8ae9f570939a8ae558e2",
      "a3a5cd2ba2683e30e53106e4ae68d0595ab27cb6411206ce29756f188c909d7e",
    ],
    [
      "external",
      external("none"),
      "d6bebe940ebe5a5874c17c7f094dafc20c16bbe3039e3cd5b6e0e4e423729a68",
      "c6a7272ada7368079de70bfd4751d17b6ca41674db88f2ffd06518dc796bbc70",
    ],
    [
      "workspace-write",
      profileOfPolicy(policyForMode("workspace-write")),
      "8cdf3d31ac3d35a19e193a68319544d494da496baa8a3342d376bd85733819a1",
      "8848e42ff921d4e4fcbc86e0fc4897993787418ffa4283d191cb4d515fa9a96b",
    ],
  ])("of %s is the one it had before profiles had a word for them", (_, profile, own, onHost) => {
    const protectedNames = HOST.protectedNames.slice(0, 1);
    const host = { ...HOST, protectedNames, externalSandbox: "trusted" } as const;
    expect(profileDigest(profile)).toBe(own);
    expect(boundDigest(bindProfile(profile, host))).toBe(onHost);
  });
});
