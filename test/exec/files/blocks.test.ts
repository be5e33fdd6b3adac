import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { base64, fileClient, uri } from "./support/file-client.ts";

/** How many descriptors of this process are on a file. */
function opened(file: string): number {
  const links = fs.readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
  return links.filter((link) => link === file).length;
}

function linkOf(place: string): string {
  try {
    return fs.readlinkSync(place);
  } catch {
    return "";
  }
}

describe("63 an open file", () => {
  it("is not opened to be written anew where that is to be on record as a look", async () => {
    const folder = temporaryFolder({ f: "kept" });
    const { call } = fileClient();
    const params = { handleId: "h", path: uri(folder, "f"), mode: "replace" };
    const { error } = await call("fs/open", { ...params, writ: { record: {} } });
    expect(error).toMatchObject({
      code: -32600,
      message: expect.stringContaining("what is read alone"),
    });
    expect(fs.readFileSync(path.join(folder, "f"), "utf8")).toBe("kept");
    expect(await call("fs/open", params)).toEqual({ result: { handleId: "h" } });
  });

  it("is read anywhere, and its end is seen where a block is not full", async () => {
    const folder = temporaryFolder({ f: "0123456789" });
    const { call } = fileClient();
    expect(await call("fs/open", { handleId: "h", path: uri(folder, "f") })).toEqual({
      result: { handleId: "h" },
    });
    const read = (offset: number, len: number) =>
      call("fs/readBlock", { handleId: "h", offset, len });
    expect((await read(4, 3)).result).toEqual({ chunk: base64("456"), eof: false });
    expect((await read(5, 5)).result).toEqual({ chunk: base64("56789"), eof: false });
    expect((await read(5, 6)).result).toEqual({ chunk: base64("56789"), eof: true });
    expect((await read(99, 1)).result).toEqual({ chunk: "", eof: true });
    for (const len of [0, 1_048_577]) {
      expect((await read(0, len)).error).toEqual({
        code: -32600,
        message: "file read block length must be between 1 and 1048576",
      });
    }
  });

  it("stays the file that was opened when its path is replaced", async () => {
    const folder = temporaryFolder({ f: "first" });
    const { call } = fileClient();
    await call("fs/open", { handleId: "h", path: uri(folder, "f") });
    fs.rmSync(path.join(folder, "f"));
    fs.writeFileSync(path.join(folder, "f"), "other");
    const { result } = await call("fs/readBlock", { handleId: "h", offset: 0, len: 9 });
    expect(result?.chunk).toBe(base64("first"));
  });

  it("is emptied at once and written anywhere", async () => {
    const folder = temporaryFolder({ f: "old text" });
    const { call } = fileClient();
    await call("fs/open", { handleId: "w", path: uri(folder, "f"), mode: "replace" });
    expect(fs.readFileSync(path.join(folder, "f"), "utf8")).toBe("");
    const write = (offset: number, chunk: string) =>
      call("fs/writeBlock", { handleId: "w", offset, chunk });
    expect(await write(2, base64("hi"))).toEqual({ result: {} });
    expect(fs.readFileSync(path.join(folder, "f"), "latin1")).toBe("\0\0hi");
    expect((await write(0, "")).error?.code).toBe(-32600);
    expect((await write(0, "aGk")).error).toEqual({ code: -32602, message: "Invalid padding" });
    expect((await call("fs/readBlock", { handleId: "w", offset: 0, len: 1 })).error).toEqual({
      code: -32603,
      message: "Bad file descriptor (os error 9)",
    });
  });

  it("has a name of at most 32 bytes that is not taken", async () => {
    const at = { path: uri(temporaryFolder({ f: "" }), "f") };
    const { call } = fileClient();
    expect((await call("fs/open", { ...at, handleId: "é".repeat(17) })).error).toEqual({
      code: -32600,
      message: "file handle ID must not exceed 32 bytes",
    });
    await call("fs/open", { ...at, handleId: "h" });
    expect((await call("fs/open", { ...at, handleId: "h" })).error).toEqual({
      code: -32600,
      message: "file handle `h` already exists",
    });
    expect((await call("fs/open", { ...at, handleId: "m", mode: "append" })).error?.code).toBe(
      -32602,
    );
  });

  it("is closed once or more often, and then unknown", async () => {
    const at = { path: uri(temporaryFolder({ f: "" }), "f") };
    const { call } = fileClient();
    await call("fs/open", { ...at, handleId: "h" });
    for (const _ of [1, 2]) {
      expect(await call("fs/close", { handleId: "h" })).toEqual({ result: {} });
    }
    expect((await call("fs/readBlock", { handleId: "h", offset: 0, len: 1 })).error).toEqual({
      code: -32004,
      message: "unknown file handle `h`",
    });
  });

  it("is one of at most 128, and all are closed with the connection", async () => {
    const folder = fs.realpathSync(temporaryFolder({ f: "" }));
    const at = { path: uri(folder, "f") };
    const client = fileClient();
    for (let index = 0; index < 128; index += 1) {
      const { error } = await client.call("fs/open", { ...at, handleId: String(index) });
      expect(error).toBeUndefined();
    }
    expect((await client.call("fs/open", { ...at, handleId: "more" })).error?.code).toBe(-32600);
    expect(opened(path.join(folder, "f"))).toBe(128);
    client.close();
    await expect.poll(() => opened(path.join(folder, "f"))).toBe(0);
  });
});
