/** Whether a link on the way to `TMPDIR` may be trusted: whoever could have put it there decides what it opens. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { refusePlanted } from "../../../src/exec/intent/refuse-planted.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";

let place: string;

beforeEach(() => {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "writ-planted-")));
  onTestFinished(() => fs.rmSync(made, { recursive: true }));
  fs.mkdirSync(path.join(made, "real/inner"), { recursive: true });
  fs.mkdirSync(path.join(made, "shared"));
  place = made;
});

const at = (name: string) => parseAbsolutePath(path.join(place, name));

function link(mode: number): void {
  fs.chmodSync(at("shared"), mode);
  fs.symlinkSync(at("real"), at("shared/link"));
}

describe("a link on the way to TMPDIR", () => {
  it.each([
    ["everybody may write to", 0o777],
    ["everybody may write to and only owners remove from", 0o1777],
  ])("is refused in a folder that %s", (_, mode) => {
    link(mode);
    for (const name of ["", "/inner", "/missing"]) {
      const seen = { path: at(`shared/link${name}`), real: at(`real${name}`) };
      expect(() => refusePlanted(seen)).toThrow(`through the link "${at("shared/link")}"`);
    }
  });

  it("is followed in a folder of this user's own", () => {
    link(0o755);
    expect(() => refusePlanted({ path: at("shared/link"), real: at("real") })).not.toThrow();
  });

  it("is refused also where it is away for the moment of the look", () => {
    fs.mkdirSync(at("shared/link"));
    const seen = { path: at("shared/link"), real: at("real") };
    expect(() => refusePlanted(seen)).toThrow(`now leads to "${at("shared/link")}"`);
  });
});

it("a folder that everybody may write to is itself no link", () => {
  fs.chmodSync(at("shared"), 0o1777);
  const seen = { path: at("shared/folder"), real: at("shared/folder") };
  expect(() => refusePlanted(seen)).not.toThrow();
});
