import { describe, expect, it } from "vitest";
import { fileHandlers } from "../../../src/app-server/files/file-handlers.ts";
import { fileMethods } from "../../../src/app-server/protocol/file-methods.ts";
import { ExecError, FileError, type FileOperations } from "../../../src/exec/index.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../../../src/policy/index.ts";
import { RpcError } from "../../../src/rpc/index.ts";

type Name = keyof typeof fileMethods;
type Answers = Partial<Record<keyof FileOperations, unknown>>;

interface Called {
  readonly name: string;
  readonly args: readonly unknown[];
}

const METADATA = { isDirectory: false, isFile: true, isSymlink: false };
const FOUND = { ...METADATA, size: 4, createdAtMs: 1, modifiedAtMs: 2 };
const SERVER = "/srv/server";
const profile = profileOfPolicy(policyForMode("workspace-write"));

/** Files that answer what a test says; an error is thrown. */
function lab(answers: Answers = {}) {
  const called: Called[] = [];
  const asks: unknown[] = [];
  const files = new Proxy({} as FileOperations, {
    get:
      (_, name: keyof FileOperations) =>
      async (...args: unknown[]) => {
        called.push({ name, args });
        const answer = name in answers ? answers[name] : name === "getMetadata" ? FOUND : undefined;
        if (answer instanceof Error) throw answer;
        return answer;
      },
  });
  const policies = {
    async forCommand(ask: { readonly cwd: string }) {
      asks.push(ask);
      return { profile, workspaceRoots: [ask.cwd] };
    },
  };
  const handlers = fileHandlers({ files, policies, cwd: SERVER });
  const call = async (name: Name, params: object): Promise<unknown> => {
    const read = fileMethods[name].params.parse(params);
    const incoming = { method: fileMethods[name].name, signal: new AbortController().signal };
    return Reflect.apply(handlers[name], handlers, [read, undefined, incoming]);
  };
  return { called, asks, call };
}

const AT = {
  path: uriOfNative("/a/b"),
  links: "follow",
  anchor: null,
  sandbox: {
    kind: "enforce",
    context: {
      profile,
      cwd: uriOfNative(SERVER),
      workspaceRoots: [uriOfNative(SERVER)],
      settings: { windowsSandboxLevel: "disabled" },
    },
  },
};
const TO = { ...AT, path: uriOfNative("/c") };
const path = "/a/b";
const copy = { sourcePath: "/a/b", destinationPath: "/c" };

describe("fs/*", () => {
  it.each<[Name, object, readonly unknown[]]>([
    ["writeFile", { path, dataBase64: "aGk=" }, [AT, Buffer.from("hi")]],
    ["createDirectory", { path }, [AT, { recursive: true }]],
    ["createDirectory", { path, recursive: null }, [AT, { recursive: true }]],
    ["createDirectory", { path, recursive: false }, [AT, { recursive: false }]],
    ["remove", { path }, [AT, { recursive: true, force: true }]],
    ["remove", { path, recursive: false, force: false }, [AT, { recursive: false, force: false }]],
    ["copy", copy, [AT, TO, { recursive: false }]],
    ["copy", { ...copy, recursive: true }, [AT, TO, { recursive: true }]],
  ])(
    "N21: %s %j goes under the policy of the server, bound to its folder",
    async (name, params, args) => {
      const { called, asks, call } = lab();
      expect(await call(name, params)).toEqual({});
      expect(called).toEqual([{ name, args }]);
      expect(asks).toEqual([{ cwd: SERVER }]);
    },
  );

  it("N21: reads under the same policy, too", async () => {
    const entries = [{ fileName: "x", isDirectory: false, isFile: true }];
    const { called, call } = lab({ readFile: Buffer.from("hi"), readDirectory: entries });
    expect(await call("readFile", { path })).toEqual({ dataBase64: "aGk=" });
    expect(await call("readDirectory", { path })).toEqual({ entries });
    expect(await call("getMetadata", { path })).toEqual({
      ...METADATA,
      createdAtMs: 1,
      modifiedAtMs: 2,
    });
    expect(called.map(({ args }) => args)).toEqual([[AT], [AT], [AT], [AT]]);
  });

  it.each<[Name, object]>([
    ["readFile", { path: "a/b" }],
    ["writeFile", { path: "", dataBase64: "" }],
    ["remove", { path: "../b" }],
    ["getMetadata", { path: "/a\0b" }],
    ["copy", { ...copy, destinationPath: "c" }],
    ["copy", { ...copy, sourcePath: "c" }],
  ])("refuses a path that means nothing by itself: %s %j", async (name, params) => {
    const { called, call } = lab();
    await expect(call(name, params)).rejects.toMatchObject({
      wireCode: -32600,
      message: expect.stringMatching(/^Invalid request: Cannot use path /),
    });
    expect(called).toEqual([]);
  });

  it.each(["sandboxPolicy", "sandbox", "permissions", "permissionProfile"])(
    "refuses `%s`, which would not be followed",
    async (member) => {
      const { called, call } = lab();
      const params = { path, dataBase64: "" };
      await expect(call("writeFile", { ...params, [member]: {} })).rejects.toMatchObject({
        wireCode: -32600,
        message: `\`${member}\` is not supported for \`fs/writeFile\`; files obey the default policy of the server`,
      });
      expect(called).toEqual([]);
      await call("writeFile", { ...params, [member]: null });
      expect(called).toHaveLength(1);
    },
  );

  it("writes nothing of what is no base64", async () => {
    const { called, call } = lab();
    await expect(call("writeFile", { path, dataBase64: "aGk" })).rejects.toMatchObject({
      wireCode: -32600,
      message: "fs/writeFile requires valid base64 dataBase64: Invalid padding",
    });
    expect(called).toEqual([]);
  });

  it("does not read a file that no answer could hold", async () => {
    const tooLarge = {
      wireCode: -32600,
      message: "file is too large to read: limit is 33554432 bytes",
    };
    const large = lab({ getMetadata: { ...FOUND, size: 33_554_433 } });
    await expect(large.call("readFile", { path })).rejects.toMatchObject(tooLarge);
    expect(large.called.map(({ name }) => name)).toEqual(["getMetadata"]);
    const grown = lab({ readFile: Buffer.alloc(33_554_433) });
    await expect(grown.call("readFile", { path })).rejects.toMatchObject(tooLarge);
    const most = lab({
      getMetadata: { ...FOUND, size: 33_554_432 },
      readFile: Buffer.alloc(33_554_432),
    });
    expect(await most.call("readFile", { path })).toBeDefined();
  });

  it.each<[Error, number]>([
    [new FileError("invalid", "why"), -32600],
    [new FileError("notFound", "why"), -32603],
    [new FileError("denied", "why", { byPolicy: true }), -32603],
    [new ExecError("notAllowed", "why"), -32600],
    [new ExecError("invalidRequest", "why"), -32600],
    [new ExecError("unenforceable", "why"), -32603],
  ])("tells %o by its number", async (fault, wireCode) => {
    const { call } = lab({ remove: fault });
    await expect(call("remove", { path })).rejects.toMatchObject({ wireCode, message: "why" });
  });

  it("hands on what the policy was refused for, and no fault of ours", async () => {
    const refused = new RpcError("invalidRequest", "no such profile");
    await expect(lab({ remove: refused }).call("remove", { path })).rejects.toBe(refused);
    const fault = new TypeError("ours");
    await expect(lab({ remove: fault }).call("remove", { path })).rejects.toBe(fault);
  });
});
