import { describe, expect, it } from "vitest";
import type { OpenFile } from "../../../src/exec/files/file-operations.ts";
import { OpenFiles } from "../../../src/exec/server/files/open-files.ts";

function fileOf(name: string) {
  const closed: string[] = [];
  const file: OpenFile = {
    read: async () => ({ chunk: Buffer.from(name), eof: true }),
    write: async () => {},
    close: async () => void closed.push(name),
  };
  return { file, closed };
}

describe("a name that was closed while its file was being opened", () => {
  it("means the file that was opened under it later", async () => {
    const files = new OpenFiles();
    const [early, late] = [fileOf("early"), fileOf("late")];
    const [first, second] = [Promise.withResolvers<OpenFile>(), Promise.withResolvers<OpenFile>()];
    const opening = [files.open("h", () => first.promise)];
    await files.close("h");
    opening.push(files.open("h", () => second.promise));
    first.resolve(early.file);
    await opening[0];
    second.resolve(late.file);
    await opening[1];
    expect(files.find("h")).toBe(late.file);
    expect([early.closed, late.closed]).toEqual([["early"], []]);
  });

  it("is not lost when the first opening fails", async () => {
    const files = new OpenFiles();
    const late = fileOf("late");
    const first = Promise.withResolvers<OpenFile>();
    const opening = files.open("h", () => first.promise);
    await files.close("h");
    await files.open("h", async () => late.file);
    first.reject(new Error("missing"));
    await expect(opening).rejects.toThrow("missing");
    expect(files.find("h")).toBe(late.file);
    await files.closeAll();
    expect(late.closed).toEqual(["late"]);
  });
});

it("closes a file at once that is opened after its connection ended", async () => {
  const files = new OpenFiles();
  const { file, closed } = fileOf("late");
  await files.closeAll();
  await files.open("h", async () => file);
  expect(closed).toEqual(["late"]);
  expect(() => files.find("h")).toThrow("unknown file handle");
});
