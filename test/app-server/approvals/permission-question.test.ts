import { describe, expect, it } from "vitest";
import type { PermissionQuestion } from "../../../src/agent/index.ts";
import { permissionQuestion } from "../../../src/app-server/approvals/permission-question.ts";
import { type GrantedPath, uriOfNative } from "../../../src/policy/index.ts";

const at = (path: string, access: GrantedPath["access"] = "write"): GrantedPath => ({
  path: uriOfNative(path),
  access,
});
const QUESTION: PermissionQuestion = {
  ...{ itemId: "i", cwd: "/r", reason: null },
  asked: { network: true, files: [at("/a b"), at("/c", "read")] },
};
const CONTEXT = {
  ...{ thread: "t", turn: "u", environment: "local", atMs: 1 },
  signal: new AbortController().signal,
};
const { put, read, stopped } = permissionQuestion(QUESTION, CONTEXT);

const entry = (path: string, access: string) => ({ path: { type: "path", path }, access });
const files = (fileSystem: object, more: object = {}) =>
  read({ permissions: { fileSystem }, scope: "turn", ...more });

describe("permissionQuestion", () => {
  it("asks for files as lists and as entries, and for the network", async () => {
    const asked: unknown[] = [];
    const connection = { ask: async (_: unknown, params: unknown) => void asked.push(params) };
    await put(connection as never, { id: 1, signal: CONTEXT.signal });
    expect(asked).toEqual([
      {
        ...{ threadId: "t", turnId: "u", itemId: "i", startedAtMs: 1, reason: null },
        ...{ environmentId: "local", cwd: "/r" },
        permissions: {
          network: { enabled: true },
          fileSystem: {
            ...{ read: ["/c"], write: ["/a b"] },
            entries: [entry("/a b", "write"), entry("/c", "read")],
          },
        },
      },
    ]);
  });

  it("gives nothing where the turn is stopped", () => {
    expect(stopped).toEqual({ given: { network: false, files: [] }, scope: "turn" });
  });

  it("takes a scope where there is one, and the shorter where there is none", () => {
    expect(read({ permissions: {}, scope: "session" })?.scope).toBe("session");
    expect(read({ permissions: {} })?.scope).toBe("turn");
  });

  it.each([
    [{ enabled: true }, true],
    [{ enabled: false }, false],
    [{ enabled: null }, false],
    [{}, false],
    [null, false],
    [undefined, false],
  ])("takes only a yes for the network: %j", (network, expected) => {
    expect(read({ permissions: { network } })?.given.network).toBe(expected);
  });

  it.each<[string, object, readonly GrantedPath[]]>([
    ["lists", { read: ["/a"], write: ["/b"] }, [at("/a", "read"), at("/b")]],
    ["one list", { write: ["/b"] }, [at("/b")]],
    ["entries", { entries: [entry("/a", "read")] }, [at("/a", "read")]],
    [
      "entries beside lists that are null",
      { read: null, write: null, entries: [entry("/a", "write")] },
      [at("/a")],
    ],
    [
      "what both say",
      { write: ["/a", "/b"], entries: [entry("/a/in", "write"), entry("/b", "read")] },
      [at("/a/in"), at("/b", "read")],
    ],
    ["nothing of lists without entries", { write: ["/a"], entries: [] }, []],
    ["nothing of entries without lists", { write: [], entries: [entry("/a", "write")] }, []],
    ["a path by its folded name", { write: ["/a/../b/"] }, [at("/b")]],
    ["nothing", {}, []],
  ])("reads %s", (_, fileSystem, expected) => {
    expect(files(fileSystem)?.given.files).toEqual(expected);
  });

  it.each<[string, object]>([
    ["a deny", { entries: [entry("/a", "deny")] }],
    [
      "a pattern",
      { entries: [{ path: { type: "glob_pattern", pattern: "/a/*" }, access: "read" }] },
    ],
    [
      "a symbol",
      { entries: [{ path: { type: "special", value: { kind: "root" } }, access: "read" }] },
    ],
    ["a relative path", { write: ["a"] }],
    ["no path", { write: [""] }],
    ["a zero byte", { write: ["/a\0"] }],
    ["a path without end", { write: [`/${"a".repeat(5000)}`] }],
    ["places without end", { write: Array(257).fill("/a") }],
    ["a member that is not known", { write: ["/a"], except: [] }],
  ])("takes %s for no answer", (_, fileSystem) => {
    expect(files({ ...fileSystem })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["no permissions", { scope: "turn" }],
    ["a scope that is not known", { permissions: {}, scope: "always" }],
    ["a member that is not known", { permissions: {}, until: 1 }],
    ["a review in its turn", { permissions: {}, scope: "turn", strictAutoReview: true }],
    ["a review in the session", { permissions: {}, scope: "session", strictAutoReview: true }],
  ])("takes %s for no answer at all", (_, result) => {
    expect(read(result)).toBeUndefined();
  });

  it("does not mind a review that is not wanted", () => {
    expect(files({ write: ["/a"] }, { strictAutoReview: false })?.given.files).toEqual([at("/a")]);
  });
});
