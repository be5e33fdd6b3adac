import { describe, expect, it } from "vitest";
import { SessionError } from "../../../src/session/session-error.ts";
import { NEVER, sessionLab } from "../support/session-lab.ts";

const NAMES = ["bash", "readFile", "writeFile", "editFile", "grep", "listDir", "attachFile"];

/** A sandbox with files. */
function lab(files: Readonly<Record<string, string | Buffer>> = {}) {
  const made = sessionLab();
  made.provider.onCreate = (sandbox) => {
    for (const [name, content] of Object.entries(files)) {
      sandbox.files.set(name, Buffer.from(content));
    }
  };
  const value = async (name: string, input: unknown) => (await made.tool(name, input)).value;
  return { ...made, value };
}

describe("the tools", () => {
  it("are seven, and no other name is supported", async () => {
    const { session, tool, provider } = lab();
    expect(NAMES.filter((name) => !session.tools.supports(name))).toEqual([]);
    expect(session.tools.supports("constructor")).toBe(false);
    await expect(tool("rm", {})).rejects.toMatchObject({ code: "unsupported" });
    expect(provider.created).toEqual([]);
  });

  it("say what is wrong with a path in a sentence", async () => {
    const { tool } = lab();
    await expect(tool("writeFile", { path: "a/", content: "" })).rejects.toThrow(
      /^Cannot run "writeFile": "path" is unusable, expected the path of a file$/,
    );
  });

  it("say of a call without a signal that it is the call", async () => {
    const { session, provider } = lab();
    const call = { tool: "listDir", input: {} } as Parameters<typeof session.tools.execute>[0];
    await expect(session.tools.execute(call)).rejects.toMatchObject({
      code: "invalidInput",
      message: 'Cannot run "listDir": "signal" is missing, expected an AbortSignal',
    });
    expect(provider.created).toEqual([]);
  });

  it.each([
    ["signal", {}, "an AbortSignal"],
    ["signal", 5, "an AbortSignal"],
    ["env", null, "an object whose values are all text"],
    ["env", { A: 5 }, "an object whose values are all text"],
    ["ids", { turn: 5 }, "an object whose values are all text"],
  ])("say what is wrong with the call where its %s is %j", async (member, value, expected) => {
    const { session, provider } = lab();
    const call = { tool: "bash", input: { command: "ls" }, signal: NEVER, [member]: value };
    await expect(session.tools.execute(call as never)).rejects.toMatchObject({
      code: "invalidInput",
      message: `Cannot run "bash": "${member}" is something else, expected ${expected}`,
    });
    expect(provider.created).toEqual([]);
  });

  it.each([[null], [{}], [{ tool: 7 }], ["bash"]])(
    "say of %j that it calls none of them",
    async (call) => {
      const { session, provider } = lab();
      await expect(session.tools.execute(call as never)).rejects.toMatchObject({
        code: "invalidInput",
        message: expect.stringMatching(/^Cannot run a tool: the call names none, expected /),
      });
      expect(provider.created).toEqual([]);
    },
  );

  it.each([
    ["bash", {}],
    ["bash", { command: "  \n" }],
    ["bash", { command: "true", timeoutMs: 0 }],
    ["bash", { command: "true", sudo: true }],
    ["bash", null],
    ["readFile", { path: "" }],
    ["readFile", { path: "a\0b" }],
    ["readFile", { path: "a", offset: 0 }],
    ["readFile", { path: "a", limit: 1001 }],
    ["writeFile", { path: "a" }],
    ["writeFile", { path: "a/", content: "" }],
    ["writeFile", { path: "a/..", content: "" }],
    ["editFile", { path: "a", edits: [] }],
    ["editFile", { path: "a", edits: [{ oldText: "a", newText: "b", all: true }] }],
    ["grep", { pattern: "" }],
    ["grep", { pattern: "a\nb" }],
    ["grep", { pattern: "a", glob: "../*" }],
    ["grep", { pattern: "a", limit: 101 }],
    ["listDir", { path: 1 }],
    ["attachFile", { path: "a", mimeType: "text" }],
  ])("%s refuses %j before there is a sandbox", async (name, input) => {
    const { tool, provider } = lab();
    const error = await tool(name, input).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "invalidInput" });
    expect(String(error)).toContain(`Cannot run "${name}": "`);
    expect(provider.created).toEqual([]);
  });
});

describe("a sentence about an input", () => {
  it.each([
    ["bash", {}, '"command" is missing, expected string'],
    ["bash", "ls", '"input" is unusable, expected object, received string'],
    ["readFile", { path: "a", offset: 0 }, '"offset" is too small: expected number to be >=1'],
    ["listDir", { more: 1 }, '"input" has unrecognized key: "more"'],
  ])("for %s of %j can be read", async (name, input, said) => {
    await expect(lab().tool(name, input)).rejects.toThrow(`Cannot run "${name}": ${said}`);
  });
});

describe("readFile", () => {
  it("shows a part of a file with more lines than an array can hold", async () => {
    const { value } = lab({ a: Buffer.alloc(140_000_000, "\n") });
    expect(await value("readFile", { path: "a", offset: 5, limit: 2 })).toEqual({
      ...{ path: "a", content: "\n\n", offset: 5, totalLines: 140_000_000 },
      ...{ isCut: true, reasons: ["offset", "lines"], receiptId: null },
    });
  }, 30_000);

  const text = Array.from({ length: 1200 }, (_, line) => `line ${line + 1}\n`).join("");

  it("reads a file as it is", async () => {
    const { value } = lab({ "a.txt": "one\r\ntwo" });
    expect(await value("readFile", { path: "a.txt" })).toEqual({
      ...{ path: "a.txt", content: "one\r\ntwo", offset: 1, totalLines: 2 },
      ...{ isCut: false, reasons: [], receiptId: null },
    });
  });

  it("reads the lines that were asked for, and says that there are others", async () => {
    const { value } = lab({ a: text });
    expect(await value("readFile", { path: "a", offset: 3, limit: 2 })).toMatchObject({
      ...{ content: "line 3\nline 4\n", totalLines: 1200, isCut: true },
      reasons: ["offset", "lines"],
    });
    expect(await value("readFile", { path: "a" })).toMatchObject({ reasons: ["lines"] });
    expect(await value("readFile", { path: "a", offset: 1201 })).toMatchObject({ content: "" });
  });

  it("cuts at the last whole line of 60,000 characters, and says so", async () => {
    const line = `${"x".repeat(999)}\n`;
    const { value } = lab({ a: `y${line.repeat(100)}` });
    const read = await value("readFile", { path: "a" });
    expect(read).toMatchObject({ content: `y${line.repeat(59)}`, reasons: ["characters"] });
    expect(read).not.toHaveProperty("lineLength");
    const rest = await value("readFile", { path: "a", offset: 60 });
    expect(rest).toMatchObject({ content: line.repeat(41), isCut: true });
  });

  it.each([
    ["x".repeat(60_001), "x".repeat(60_000)],
    [`${"x".repeat(59_999)}😀y`, "x".repeat(59_999)],
  ])("shows the beginning of a line that is longer, and how long it is", async (line, content) => {
    const { value } = lab({ a: `a\n${line}\nb\n` });
    const read = await value("readFile", { path: "a", offset: 2 });
    expect(read).toMatchObject({ content, lineLength: line.length });
    expect(await value("readFile", { path: "a", offset: 3 })).toMatchObject({ content: "b\n" });
  });

  it("refuses what is missing and what is no text", async () => {
    const { tool } = lab({ bin: Buffer.from([0xff, 0xfe, 0x00]) });
    await expect(tool("readFile", { path: "none" })).rejects.toMatchObject({ code: "notFound" });
    await expect(tool("readFile", { path: "bin" })).rejects.toMatchObject({
      code: "invalidInput",
    });
  });
});

describe("writeFile and listDir", () => {
  it("write bytes and say how many", async () => {
    const { value, provider } = lab();
    expect(await value("writeFile", { path: "a/b", content: "é" })).toEqual({
      ...{ path: "a/b", bytesWritten: 2, receiptId: null },
    });
    expect(provider.at(1).files.get("a/b")?.toString()).toBe("é");
  });

  it("list names and kinds, and say when there are more", async () => {
    const { value, provider, session } = lab();
    await session.acquire({ by: "listDir", signal: NEVER });
    const entries = ["a", "b", "c"].map((name) => ({ name, kind: "file" as const }));
    provider.at(1).entries = entries;
    expect(await value("listDir", {})).toMatchObject({ path: ".", entries, isCut: false });
    expect(await value("listDir", { path: "x", limit: 2 })).toMatchObject({
      ...{ entries: entries.slice(0, 2), total: 3, isCut: true, reasons: ["entries"] },
    });
  });

  it("surface what a provider refuses by its code", async () => {
    const { tool, provider, session } = lab();
    await session.acquire({ by: "listDir", signal: NEVER });
    provider.at(1).faults.file.push(new SessionError("notFound", "x"));
    await expect(tool("listDir", { path: "x" })).rejects.toMatchObject({ code: "notFound" });
  });
});

describe("attachFile", () => {
  it("hands over bytes with a name and a type by its extension, case 100", async () => {
    const { value } = lab({ "out/plot.PNG": "png" });
    expect(await value("attachFile", { path: "out/plot.PNG" })).toEqual({
      ...{ path: "out/plot.PNG", filename: "plot.PNG", mimeType: "image/png", size: 3 },
      ...{ content: Buffer.from("png"), receiptId: null },
    });
  });

  it("takes a name and a type that were given; of the name only the last part", async () => {
    const { value, tool } = lab({ a: "x" });
    const input = { path: "a", filename: "../../b.html", mimeType: "text/plain" };
    expect(await value("attachFile", input)).toMatchObject({
      ...{ filename: "b.html", mimeType: "text/plain" },
    });
    expect(await value("attachFile", { path: "a" })).toMatchObject({
      mimeType: "application/octet-stream",
    });
    await expect(tool("attachFile", { path: "a", filename: "x/.." })).rejects.toMatchObject({
      code: "invalidInput",
    });
  });

  it("case 97: refuses a file that is missing", async () => {
    const { tool } = lab();
    await expect(tool("attachFile", { path: "none" })).rejects.toMatchObject({ code: "notFound" });
  });

  it("case 98: takes a file of the same turn where the sandbox has none of that name", async () => {
    const { session } = lab();
    const artifact = (name: string) =>
      name === "plot.svg"
        ? { content: Buffer.from("<svg/>"), mimeType: "image/svg+xml" }
        : undefined;
    const input = { path: "out/plot.svg" };
    const call = { tool: "attachFile", input, artifact, signal: NEVER };
    const { value } = await session.tools.execute(call);
    expect(value).toMatchObject({ filename: "plot.svg", mimeType: "image/svg+xml", size: 6 });
  });

  it("case 99: refuses an empty file and one of more than 10 MiB", async () => {
    const { tool, value } = lab({
      ...{ empty: "", most: Buffer.alloc(10 << 20), more: Buffer.alloc((10 << 20) + 1) },
    });
    expect(await value("attachFile", { path: "most" })).toMatchObject({ size: 10 << 20 });
    await expect(tool("attachFile", { path: "empty" })).rejects.toThrow('"empty" is empty');
    await expect(tool("attachFile", { path: "more" })).rejects.toThrow("10485761 bytes");
  });
});
