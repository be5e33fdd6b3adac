/**
 * `accessTo` against the sandbox of the real Codex.
 *
 * Generated profiles over a small tree: a script inside Codex's sandbox tries
 * to read and write every path, and the model must predict the outcome. Where
 * the two are known to differ, the difference is written down below.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Access,
  accessTo,
  bindProfile,
  type HostRoots,
  PROTECTED_NAMES,
  parseAbsolutePath,
  readSandboxState,
} from "../../src/policy/index.ts";
import { campaignSeed, rounds } from "../support/campaign.ts";
import { codexSandbox, labFolder } from "./support/codex.ts";

const FOLDERS = ["a", "a/b", "a/b/c", "d", ".git", ".git/hooks", ".codex", "a/.git"];
const FILES = ["a/f", "a/b/f", "a/b/c/f", "d/f", ".git/f", ".git/hooks/f", ".codex/f", "a/.git/f"];

interface Rule {
  readonly at: string;
  readonly access: Access;
}

/** A writable file makes Codex fail at start (case 26), so only folders are written to. */
const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc.record({ at: fc.constantFrom(...FOLDERS), access: fc.constantFrom("read", "write", "deny") }),
  fc.record({ at: fc.constantFrom(...FILES), access: fc.constantFrom("read", "deny") }),
);

/** Codex does not reopen a `read` inside a `deny` on Linux; we do. Such profiles are left out. */
function reopensRead(rules: readonly Rule[]): boolean {
  return rules.some(
    ({ at, access }) =>
      access === "read" &&
      rules.some((outer) => outer.access === "deny" && at.startsWith(`${outer.at}/`)),
  );
}

function stateOf(root: string, rules: readonly Rule[]) {
  const entry = (place: string, access: Access) => ({
    path: { type: "path", path: place },
    access,
  });
  const special = { path: { type: "special", value: { kind: "root" } }, access: "read" };
  return {
    permissionProfile: {
      type: "managed",
      file_system: {
        type: "restricted",
        entries: [
          special,
          entry(root, "write"),
          ...rules.map(({ at, access }) => entry(path.join(root, at), access)),
        ],
      },
      network: "restricted",
    },
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${root}`,
    useLegacyLandlock: false,
  };
}

/** Prints `path read|write|deny` for each file: what can really be done with it. */
const PROBE = `for f in "$@"; do
  if cat "$f" >/dev/null 2>&1; then
    if (: >> "$f") 2>/dev/null; then echo "$f write"; else echo "$f read"; fi
  else echo "$f deny"; fi
done`;

function predict(state: unknown, root: string): Record<string, Access> {
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

describe("accessTo", () => {
  it("predicts what a command can do in the sandbox of the real Codex", () => {
    const folder = labFolder();
    const root = path.join(folder, "ws");
    for (const one of FOLDERS) mkdirSync(path.join(root, one), { recursive: true });
    for (const one of FILES) writeFileSync(path.join(root, one), "x");
    const rules = fc.array(rule, { maxLength: 5 }).filter((list) => !reopensRead(list));
    const property = fc.property(rules, (list) => {
      const state = stateOf(root, list);
      const files = FILES.map((file) => path.join(root, file));
      const answer = codexSandbox(state, ["sh", "-c", PROBE, "sh", ...files], `${folder}/home`);
      // Some nestings Codex cannot build at all; it then runs nothing, which contradicts nothing.
      fc.pre(answer.stdout !== "");
      const seen = answer.stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" "));
      const real = Object.fromEntries(
        seen.map(([file = "", access]) => [path.relative(root, file), access]),
      );
      expect(real, answer.stderr).toEqual(predict(state, root));
    });
    fc.assert(property, { numRuns: rounds(200), seed: campaignSeed });
  });
});
