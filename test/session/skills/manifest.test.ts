import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffManifests } from "../../../src/session/skills/sync/diff-manifests.ts";
import {
  type Manifest,
  parseManifest,
  writeManifest,
} from "../../../src/session/skills/sync/manifest.ts";

const entry = fc.record({
  digest: fc.constantFrom("0".repeat(64), "1".repeat(64)),
  isExecutable: fc.boolean(),
});
const manifests = fc
  .dictionary(fc.constantFrom("skills/a/x", "skills/a/y z", "skills/b/ü", "s/-"), entry)
  .map((table): Manifest => new Map(Object.entries(table)));

describe("a manifest", () => {
  it("is read back as it was written", () => {
    fc.assert(
      fc.property(manifests, (manifest) => {
        expect(parseManifest(writeManifest(manifest))).toEqual(manifest);
      }),
    );
  });

  it("becomes the other one by their difference, and nothing is done twice", () => {
    fc.assert(
      fc.property(manifests, manifests, (have, want) => {
        const { write, remove } = diffManifests(have, want);
        const next = new Map(have);
        for (const path of remove) expect(next.delete(path)).toBe(true);
        for (const path of write) {
          const wanted = want.get(path);
          if (wanted !== undefined) next.set(path, wanted);
        }
        expect(next).toEqual(want);
        expect(diffManifests(want, want)).toEqual({ write: [], remove: [] });
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["another beginning", "writ-skills 2\n"],
    ["half a line", "writ-skills 1\n00"],
    ["a line without its end", `writ-skills 1\n${"0".repeat(64)} - skills/a`],
    ["a line that is none", "writ-skills 1\nhello\n"],
  ])("is none where it is %s", (_, text) => {
    expect(parseManifest(text)).toBeUndefined();
  });
});
