import { describe, expect, it } from "vitest";
import {
  accessTo,
  parseAbsolutePath as at,
  bindProfile,
  type Entry,
  explain,
  type PermissionProfile,
  PROTECTED_NAMES,
  readCanonicalProfile,
  uriOfNative,
} from "../../../src/policy/index.ts";
import { accesses, boundWith, HOST, wireOf } from "../support/profiles.ts";

const CODEX_FOUR = [".git", ".agents", ".codex", ".aws"];
const OURS = [
  ".writ",
  ".claude",
  ".vscode",
  ".idea",
  ".devcontainer",
  ".mcp.json",
  ".envrc",
  "writ.toml",
];

describe("PROTECTED_NAMES", () => {
  it("are the four of Codex and eight of our own", () => {
    const names = (inTemporary: boolean) =>
      PROTECTED_NAMES.filter((one) => one.inTemporary === inTemporary).map(({ name }) => name);
    expect(names(true)).toEqual(CODEX_FOUR);
    expect(names(false)).toEqual(OURS);
  });

  it.each(PROTECTED_NAMES)(
    "keeps $name read-only in a workspace and says why",
    ({ name, reason }) => {
      const bound = boundWith([[":workspace_roots", "write"]]);
      const path = at(`/r/${name}/x`);
      expect(explain(bound, path)).toEqual({
        path,
        access: "read",
        rule: `protected name "${name}"`,
        reason: expect.stringMatching(/^"\/r" is writable/),
      });
      expect(explain(bound, path).reason).toContain(reason);
      expect(reason.length).toBeGreaterThan(10);
    },
  );

  it.each(PROTECTED_NAMES)("leaves $name free below the top", ({ name }) => {
    const bound = boundWith([[":workspace_roots", "write"]]);
    expect(accessTo(bound, at(`/r/sub/${name}`))).toBe("write");
  });

  it.each(PROTECTED_NAMES)("reopens $name exactly by its own entry", ({ name }) => {
    const bound = boundWith([
      [":workspace_roots", "write"],
      [`/r/${name}`, "write"],
    ]);
    expect(accessTo(bound, at(`/r/${name}/x`))).toBe("write");
    const others = PROTECTED_NAMES.filter((one) => one.name !== name);
    for (const other of others) expect(accessTo(bound, at(`/r/${other.name}`))).toBe("read");
  });

  it.each([
    [":tmpdir", "/scratch"],
    [":slash_tmp", "/tmp"],
  ])("holds only the four of Codex in %s", (symbol, folder) => {
    const bound = boundWith([[symbol, "write"]]);
    for (const name of CODEX_FOUR) expect(accessTo(bound, at(`${folder}/${name}`))).toBe("read");
    for (const name of OURS) expect(accessTo(bound, at(`${folder}/${name}`))).toBe("write");
  });

  it("holds all names in a temporary folder that is also named as a path", () => {
    for (const rules of [
      [
        [":slash_tmp", "write"],
        ["/tmp", "write"],
      ],
      [
        ["/tmp", "write"],
        [":slash_tmp", "write"],
      ],
    ] as const) {
      expect(accesses(boundWith(rules), ["/tmp/.vscode", "/tmp/.git"])).toEqual({
        "/tmp/.vscode": "read",
        "/tmp/.git": "read",
      });
    }
  });

  it("hold at the top of every writable root, also a nested one", () => {
    const bound = boundWith([
      ["/r", "write"],
      ["/r/sub", "write"],
      ["/", "write"],
    ]);
    expect(accesses(bound, ["/r/sub/.git", "/r/sub/a/.git", "/.git"])).toEqual({
      "/r/sub/.git": "read",
      "/r/sub/a/.git": "write",
      "/.git": "read",
    });
  });

  it("do not turn a denied name readable", () => {
    const bound = boundWith([
      ["/r", "write"],
      ["/r/.git", "deny"],
    ]);
    expect(accessTo(bound, at("/r/.git/config"))).toBe("deny");
  });

  it("do not open anything in a folder that is only readable", () => {
    const bound = boundWith([["/r", "read"]]);
    expect(explain(bound, at("/r/.git"))).toMatchObject({ access: "read", rule: '"/r" = "read"' });
  });

  it("stay closed under a read entry that lies deeper", () => {
    const bound = boundWith([
      ["/r", "write"],
      ["/r/.git/hooks", "read"],
    ]);
    expect(accesses(bound, ["/r/.git/hooks/x", "/r/.git/x"])).toEqual({
      "/r/.git/hooks/x": "read",
      "/r/.git/x": "read",
    });
  });

  it("follow the list that the host hands in", () => {
    const protectedNames = [{ name: "locked", reason: "because", inTemporary: false }];
    const bound = boundWith([["/r", "write"]], { protectedNames });
    expect(accesses(bound, ["/r/locked", "/r/.git"])).toEqual({
      "/r/locked": "read",
      "/r/.git": "write",
    });
  });
});

describe("a folder whose names are open", () => {
  const write: Entry = { target: { type: "path", path: uriOfNative("/own") }, access: "write" };
  const managed = (...entries: Entry[]): PermissionProfile => ({
    type: "managed",
    fileSystem: { type: "restricted", entries },
    network: { kind: "restricted" },
    unixSockets: "private",
  });

  it.each(PROTECTED_NAMES)("lets $name be written", ({ name }) => {
    const bound = bindProfile(managed({ ...write, names: "open" }), HOST);
    expect(accessTo(bound, at(`/own/${name}/x`))).toBe("write");
  });

  it("keeps them where another entry opens the same folder", () => {
    const open: Entry = { ...write, names: "open" };
    for (const entries of [
      [write, open],
      [open, write],
    ]) {
      const bound = bindProfile(managed(...entries), HOST);
      expect(accesses(bound, ["/own/.git", "/own/x"])).toEqual({
        "/own/.git": "read",
        "/own/x": "write",
      });
    }
  });

  it("is nothing that a wire can ask for", () => {
    const wire = wireOf([["/own", "write"]]);
    for (const entry of wire.file_system.entries) Object.assign(entry, { names: "open" });
    let bound = boundWith([]);
    try {
      bound = bindProfile(readCanonicalProfile(wire), HOST);
    } catch (error) {
      expect(error).toMatchObject({ name: "PolicyError" });
    }
    expect(accessTo(bound, at("/own/.git"))).not.toBe("write");
  });
});
