import { describe, expect, it } from "vitest";
import { lackOfFiles, spawnWhole } from "../../../src/sandbox/files/lack-of-files.ts";
import { SandboxError } from "../../../src/sandbox/sandbox-error.ts";

const full = (code: string) => Object.assign(new Error(`${code}: open`), { code });

describe("a lack of open files", () => {
  it.each(["EMFILE", "ENFILE"])("is told where %s lies behind an error, however deep", (code) => {
    const deep = new SandboxError("backendFailed", "Cannot make a pipe", {
      cause: new Error("between", { cause: full(code) }),
    });
    for (const error of [full(code), deep]) {
      expect(lackOfFiles(error)).toMatchObject({
        code: "backendFailed",
        message: expect.stringContaining("too many files are open"),
        cause: error,
      });
    }
  });

  it("is not told of anything else", () => {
    for (const other of [full("EACCES"), new Error("EMFILE"), "EMFILE", undefined]) {
      expect(lackOfFiles(other)).toBeUndefined();
    }
  });

  it("is not why a program is missing: that comes as an event, as of any child", async () => {
    const child = spawnWhole("/nowhere/program", [], { stdio: ["ignore", "pipe", "ignore"] });
    const { promise, resolve } = Promise.withResolvers<Error>();
    child.once("error", resolve);
    expect(await promise).toMatchObject({ code: "ENOENT" });
  });
});
