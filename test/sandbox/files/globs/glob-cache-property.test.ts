import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { WALK_BOUNDS } from "../../../../src/sandbox/files/globs/glob-budget.ts";
import { GlobCache } from "../../../../src/sandbox/files/globs/glob-cache.ts";
import { campaign } from "../../../support/campaign.ts";
import { expandGlobs } from "../support/expand-globs.ts";
import { countReads, EXT4, pretendType, SETTLE_MS, settle } from "../support/glob-reads.ts";

vi.setConfig({ testTimeout: 120_000 });

type Change = (at: (name: string) => string) => void;

const NAMES = ["a", "b", "x.env", "l"];
const name = fc.constantFrom(...NAMES);
/** Below `ws` patterns look; `out` is reached through links alone. */
const place = fc
  .tuple(fc.constantFrom("ws", "ws", "out"), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([top, names]) => [top, ...names].join("/"));
/** Absolute ones begin with a mark in the place of the tree. */
const target = fc.oneof(
  place.map((to) => `/tree/${to}`),
  fc.constantFrom("..", ".", "a", "../b", "l", "../out", "../out/a"),
);

const change: fc.Arbitrary<[string, Change]> = fc.oneof(
  place.map((to): [string, Change] => [`file ${to}`, (at) => writeFileSync(at(to), "")]),
  place.map((to): [string, Change] => [`folder ${to}`, (at) => mkdirSync(at(to))]),
  place.map((to): [string, Change] => [
    `remove ${to}`,
    (at) => rmSync(at(to), { recursive: true }),
  ]),
  fc
    .tuple(place, place)
    .map(([from, to]): [string, Change] => [
      `move ${from} to ${to}`,
      (at) => renameSync(at(from), at(to)),
    ]),
  fc.tuple(target, place).map(([to, from]): [string, Change] => [
    `link ${from}`,
    (at) => {
      rmSync(at(from), { recursive: true, force: true });
      symlinkSync(at(to), at(from));
    },
  ]),
  fc.tuple(target, place).map(([to, from]): [string, Change] => [
    `retarget ${from}`,
    (at) => {
      if (!lstatSync(at(from)).isSymbolicLink()) return;
      symlinkSync(at(to), at("out/new-link"));
      renameSync(at("out/new-link"), at(from));
    },
  ]),
  fc
    .tuple(place, fc.constantFrom(0o700, 0o755))
    .map(([to, mode]): [string, Change] => [`rights of ${to}`, (at) => chmodSync(at(to), mode)]),
);

/** Changes that happen together, and whether the tree is then left alone for a while. */
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 5 }),
  pause: fc.boolean(),
});

const patterns = fc.constantFrom(
  ["ws/**/*.env"],
  ["ws/**/a/*.env", "ws/b/**"],
  ["ws/*/b/x.env", "ws/**/b/a"],
  ["ws/**/[a-b]*", "out/l/x.env"],
);

/**
 * The real place of a name, or the text of a link. Links lead changes astray: what is not below `ws`
 * or `out` is not touched, so that nothing outside the tree ever is.
 */
function placeIn(folder: string, to: string): string {
  if (!/^(ws|out)\//.test(to)) return to.replace(/^\/tree/, folder);
  const parent = realpathSync(path.join(folder, path.dirname(to)));
  if (!/^(ws|out)(\/|$)/.test(path.relative(folder, parent))) throw new RangeError(to);
  return path.join(parent, path.basename(to));
}

/** A change that cannot be made in this tree is none. */
function tryTo(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof RangeError || (error instanceof Error && "code" in error))) throw error;
  }
}

it("a remembered look equals a fresh one after whatever happened to the tree", async () => {
  pretendType(EXT4);
  const reads = countReads();
  const totals = { cached: 0, fresh: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 7 }),
      patterns,
      async (steps, wanted) => {
        const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), "writ-test-"));
        const at = (to: string) => path.join(folder, to);
        for (const to of ["ws/a/b", "ws/b/a", "out/a/b"]) mkdirSync(at(to), { recursive: true });
        const globs = wanted.map((pattern) => ({ pattern: at(pattern), rule: pattern }));
        const cache = new GlobCache({ settleMs: SETTLE_MS });
        try {
          for (const { changes, pause } of steps) {
            for (const [, make] of changes) tryTo(() => make((to) => placeIn(folder, to)));
            if (pause) await settle();
            reads.take();
            const cached = cache.expand(globs, WALK_BOUNDS);
            totals.cached += reads.take();
            expect(cached).toEqual(expandGlobs(globs, WALK_BOUNDS));
            totals.fresh += reads.take();
          }
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    ),
    campaign(300),
  );
  // Else this test would hold for a cache that remembers nothing.
  expect(totals.cached).toBeLessThan(totals.fresh);
});
