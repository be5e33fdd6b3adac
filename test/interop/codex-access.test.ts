/**
 * `accessTo` and `writ run` against the sandbox of the real Codex.
 *
 * Generated profiles over a small tree: a script inside each sandbox tries to
 * read and write every file. The model predicts the outcome, and both sandboxes
 * must show it. Where they are known to differ, `probe-tree.ts` says so.
 */
import { spawnSync } from "node:child_process";
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
  comparableRules,
  FILES,
  layOut,
  probeCommand,
  readProbe,
  stateOf,
} from "./support/probe-tree.ts";

const WRIT = path.resolve(import.meta.dirname, "../../bin/writ");

function predict(state: unknown, root: string): Record<string, string> {
  const cwd = parseAbsolutePath(root);
  const host: HostRoots = {
    system: "linux",
    cwd,
    workspaceRoots: [cwd],
    tmpdir: undefined,
    slashTmp: parseAbsolutePath("/tmp"),
    platformDefaults: [],
    protectedNames: PROTECTED_NAMES,
    externalSandbox: "absent",
  };
  const bound = bindProfile(readSandboxState(state).profile, host);
  return Object.fromEntries(
    FILES.map((file) => [file, accessTo(bound, parseAbsolutePath(path.join(root, file)))]),
  );
}

function writRun(state: unknown, root: string, home: string): string {
  const args = [
    "run",

    "--sandbox-state-json",
    JSON.stringify(state),
    "-C",
    root,
    "--",
  ];
  const env = { PATH: "/usr/bin:/bin", HOME: home, WRIT_HOME: path.join(home, ".writ") };
  return spawnSync(WRIT, [...args, ...probeCommand(root)], { env, encoding: "utf8" }).stdout;
}

describe("the model, our sandbox and the sandbox of the real Codex", () => {
  it("agree on what a command can do with every file", () => {
    const folder = labFolder();
    const root = path.join(folder, "ws");
    const home = path.join(folder, "home");
    layOut(root);
    const property = fc.property(comparableRules, (rules) => {
      const state = stateOf(root, rules);
      const predicted = predict(state, root);
      expect(readProbe(writRun(state, root, home), root)).toEqual(predicted);
      const codex = readProbe(codexSandbox(state, probeCommand(root), home).stdout, root);
      // Some nestings Codex cannot build at all; it then runs nothing, which contradicts nothing.
      fc.pre(codex !== undefined);
      expect(codex).toEqual(predicted);
    });
    fc.assert(property, { numRuns: rounds(200), seed: campaignSeed });
  }, 1_200_000);
});
