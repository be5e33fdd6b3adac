/**
 * Our sandbox against that of the real Codex, on generated disks and profiles.
 *
 * A command under each tries every path of the disk. Where the two differ, the
 * difference is on the list, or the test fails; where we are laxer, it fails unless
 * the model says so. What we show is compared with the model as well.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accessTo,
  bindProfile,
  type HostRoots,
  PROTECTED_NAMES,
  parseAbsolutePath,
  readSandboxState,
} from "../../src/policy/index.ts";
import { campaignSeed, rounds } from "../support/campaign.ts";
import { codexSandbox, labFolder } from "./support/codex.ts";
import {
  layOutCase,
  type OracleCase,
  oracleCase,
  PROBED,
  stateOfCase,
} from "./support/oracle-case.ts";
import { DIFFERENCES, type Place, REFUSALS } from "./support/oracle-differences.ts";
import { isLaxer, probeOf, type Reach, reachesIn } from "./support/oracle-probe.ts";

const WRIT = path.resolve(import.meta.dirname, "../../bin/writ");
/** The same cases in every run, so that a change is to blame for what it changes; a campaign looks for new ones. */
const SEED = Number(process.env.WRIT_CAMPAIGN) === 1 ? campaignSeed : 20_261_115;

class Oracle {
  readonly #home: string;
  readonly root: string;

  constructor() {
    const folder = labFolder();
    this.#home = path.join(folder, "home");
    this.root = path.join(folder, "ws");
    mkdirSync(this.root);
  }

  /** What there is then; asked before anything runs, since a sandbox that fails may leave something. */
  layOut(one: OracleCase): ReadonlySet<string> {
    layOutCase(one, this.root);
    return new Set(PROBED.filter((place) => existsSync(path.join(this.root, place))));
  }

  ours(one: OracleCase) {
    const state = JSON.stringify(stateOfCase(one, this.root));
    const env = { PATH: "/usr/bin:/bin", HOME: this.#home, WRIT_HOME: `${this.#home}/.writ` };
    const args = ["run", "--sandbox-state-json", state, "-C", this.root, "--"];
    const ran = spawnSync(WRIT, [...args, ...probeOf(this.root)], { env, encoding: "utf8" });
    return { ...ran, found: reachesIn(ran.stdout) };
  }

  codex(one: OracleCase) {
    // Some rules make it fall over, and here its mount points would stay behind in the root of this host.
    if (one.base === "write" && one.rules.length > 0) return undefined;
    const ran = codexSandbox(stateOfCase(one, this.root), probeOf(this.root), this.#home);
    return reachesIn(ran.stdout);
  }

  /** What the model says about a path; nothing where it cannot know: it has no links and no `.git` files. */
  model(one: OracleCase) {
    if (one.disk.links || one.disk.git.startsWith("pointer")) return undefined;
    const cwd = parseAbsolutePath(this.root);
    const state = readSandboxState(stateOfCase(one, this.root));
    const bound = bindProfile(state.profile, { ...HOST, cwd, workspaceRoots: [cwd] });
    return (place: string) => accessTo(bound, parseAbsolutePath(path.join(this.root, place)));
  }
}

const HOST: Omit<HostRoots, "cwd" | "workspaceRoots"> = {
  system: "linux",
  tmpdir: undefined,
  slashTmp: parseAbsolutePath("/tmp"),
  platformDefaults: [],
  protectedNames: PROTECTED_NAMES,
  externalSandbox: "absent",
};

/** What is wrong about one path, if anything is. */
function wrongAt(place: Place, exists: boolean): string | undefined {
  const { path: at, ours, codex } = place;
  const [laxer, stricter] = [isLaxer(ours, codex, exists), isLaxer(codex, ours, exists)];
  if (!laxer && !stricter) return undefined;
  const known = DIFFERENCES.filter(({ side }) => (laxer ? side === "model" : true));
  if (known.some((one) => one.covers(place))) return undefined;
  return `${at}: ${ours}, with Codex ${codex}: ${laxer ? "laxer" : "not on the list"}`;
}

/** The model knows nothing of what a missing path needs in its place, so there only more would be wrong. */
function wrongByModel(ours: Reach, access: "read" | "write" | "deny", exists: boolean) {
  return isLaxer(ours, access, exists) || (exists && isLaxer(access, ours, exists));
}

describe("our sandbox and that of the real Codex", () => {
  it("differ in nothing that is not on the list", { timeout: 600_000 }, () => {
    const oracle = new Oracle();
    const property = fc.property(oracleCase, (one) => {
      const there = oracle.layOut(one);
      const { found, status, stderr } = oracle.ours(one);
      if (found === undefined) {
        expect({ status, stderr }).toMatchObject({ status: 125 });
        expect(REFUSALS.some(({ says }) => says.test(stderr)) ? "" : stderr).toBe("");
        return;
      }
      const model = oracle.model(one);
      // Some disks and profiles Codex cannot build a sandbox for; then there is the model alone.
      const codex = oracle.codex(one);
      const wrong = [...found].flatMap(([at, ours]) => {
        const exists = there.has(at);
        const theirs = codex?.get(at);
        const differs = theirs && wrongAt({ one, path: at, ours, codex: theirs }, exists);
        const access = model?.(at);
        const unlike = access !== undefined && wrongByModel(ours, access, exists);
        return [
          ...(differs ? [differs] : []),
          ...(unlike ? [`${at}: ${ours}, model ${access}`] : []),
        ];
      });
      expect(wrong).toEqual([]);
    });
    fc.assert(property, { numRuns: rounds(500), seed: SEED });
  });

  it.each(DIFFERENCES.map((one) => [one.what, one] as const))("differ in %s", (_, difference) => {
    const oracle = new Oracle();
    const { one, path: at } = difference.example;
    expect(PROBED).toContain(at);
    const exists = oracle.layOut(one).has(at);
    const [ours, codex] = [oracle.ours(one).found?.get(at), oracle.codex(one)?.get(at)];
    if (ours === undefined || codex === undefined) throw new Error("The sandbox did not start");
    const [stricter, laxer] = [isLaxer(codex, ours, exists), isLaxer(ours, codex, exists)];
    expect({ stricter, laxer }).toEqual({
      stricter: difference.side === "stricter",
      laxer: difference.side === "model",
    });
    expect(difference.covers({ one, path: at, ours, codex })).toBe(true);
  });
});
