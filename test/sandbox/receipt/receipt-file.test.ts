import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { openReceiptFile } from "../../../src/sandbox/receipt/receipt-file.ts";
import { boundWith } from "../../policy/support/profiles.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A workspace beside a folder that a command cannot write. */
function placed() {
  const base = fs.realpathSync(temporaryFolder({ "ws/out/x": "", "outside/x": "" }));
  const at = (name: string) => parseAbsolutePath(path.join(base, name));
  return { at, profile: boundWith([[at("ws"), "write"]]) };
}

describe("openReceiptFile", () => {
  it("replaces the receipt as a whole and leaves no draft", () => {
    const { at, profile } = placed();
    for (const text of ["one", "two"]) {
      const file = openReceiptFile(at("ws/out/r"), profile);
      file.write(text);
      file.close();
    }
    expect(fs.readFileSync(at("ws/out/r"), "utf8")).toBe("two");
    expect(fs.readdirSync(at("ws/out")).toSorted()).toEqual(["r", "x"]);
  });

  it("refuses a link that a command may have made, and follows any other", () => {
    const { at, profile } = placed();
    fs.symlinkSync(at("outside"), at("ws/link"));
    fs.symlinkSync(at("ws/out"), at("outside/link"));
    expect(() => openReceiptFile(at("ws/link/r"), profile)).toThrow(at("ws/link"));
    openReceiptFile(at("outside/link/r"), profile).close();
  });

  it("refuses a folder that is missing or none", () => {
    const { at, profile } = placed();
    expect(() => openReceiptFile(at("ws/missing/r"), profile)).toThrow("there is no folder");
    expect(() => openReceiptFile(at("ws/out/x/r"), profile)).toThrow("there is no folder");
  });

  it("refuses to take the place of a link, as /dev/stdout is one", () => {
    const { at, profile } = placed();
    fs.symlinkSync("/proc/self/fd/1", at("outside/stdout"));
    expect(() => openReceiptFile(at("outside/stdout"), profile)).toThrow("it is a link, expected");
    expect(fs.readlinkSync(at("outside/stdout"))).toBe("/proc/self/fd/1");
  });

  it("says when it cannot write, and leaves no draft then either", () => {
    const { at, profile } = placed();
    const file = openReceiptFile(at("ws/out/r"), profile);
    fs.mkdirSync(at("ws/out/r/in"), { recursive: true });
    expect(() => file.write("text")).toThrow();
    file.close();
    expect(fs.readdirSync(at("ws/out")).toSorted()).toEqual(["r", "x"]);
  });
});
