/** Held against a reading of the same sentence that looks at every name by itself. */
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realPathIfKnown } from "../../../src/exec/intent/real-path-if-known.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { campaign } from "../../support/campaign.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LINKS = {
  "to-folder": "folder",
  "to-file": "file",
  "to-nothing": "nothing",
  "to-missing": "folder/missing",
  "to-itself": "to-itself",
  "to-etc": "/etc",
  "folder/up": "..",
};
const NAMES = [...Object.keys(LINKS), "folder", "file", "inner", "up", "missing", ".git"];

/** Paths in a tree of a folder, a file, and links to each of them, to nothing, to themselves and out of it. */
function paths() {
  const root = fs.realpathSync(temporaryFolder({ "folder/inner/x": "", file: "" }));
  for (const [name, to] of Object.entries(LINKS)) fs.symlinkSync(to, path.join(root, name));
  return fc
    .array(fc.constantFrom(...NAMES), { maxLength: 4 })
    .map((names) => parseAbsolutePath(path.join(root, ...names)));
}

/** By names alone: what is missing ends the links. */
function readingOf(at: string): string | undefined {
  try {
    return fs.realpathSync(at);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") return undefined;
  }
  if (isLink(at)) return undefined;
  const above = readingOf(path.dirname(at));
  return above === undefined ? undefined : path.join(above, path.basename(at));
}

function isLink(at: string): boolean {
  try {
    return fs.readlinkSync(at) !== "";
  } catch {
    return false;
  }
}

describe("where a path leads", () => {
  it("is told without links, with what is missing as it is written, or not at all", () => {
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(paths(), (at) => {
        const real = realPathIfKnown(at);
        expect(real).toBe(readingOf(at));
        outcomes.add(real === undefined);
      }),
      campaign(2000),
    );
    expect(outcomes).toEqual(new Set([true, false]));
  });

  it("is the same from a folder above that was looked at just now", () => {
    const wanted = paths();
    fc.assert(
      fc.property(wanted, wanted, (at, above) => {
        const real = realPathIfKnown(above);
        fc.pre(real !== undefined && fs.existsSync(above));
        expect(realPathIfKnown(at, { path: above, real })).toBe(readingOf(at));
      }),
      campaign(2000),
    );
  });
});
