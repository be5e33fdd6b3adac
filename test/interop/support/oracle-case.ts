/** A disk and a profile over it, generated; small enough that rules meet often. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import type { Access } from "../../../src/policy/index.ts";

/** What differs from disk to disk; everything else of {@link PROBED} is always there. */
export interface OracleDisk {
  readonly git: "folder" | "missing" | "empty" | "pointer" | "pointer to nothing";
  readonly codex: "folder" | "missing" | "file";
  readonly vscode: "folder" | "missing";
  /** `l` leads to `d` from inside the workspace, `way` to `a` from outside. */
  readonly links: boolean;
}

export interface OracleRule {
  readonly at: string;
  readonly access: Access;
}

export interface OracleCase {
  readonly disk: OracleDisk;
  readonly base: "read" | "minimal" | "write";
  readonly workspace: boolean;
  readonly rules: readonly OracleRule[];
  readonly glob: string | undefined;
}

/** Paths that a command tries, relative to the workspace; those with a slash at the end are folders. */
export const PROBED = [
  ...["f", "a/", "a/f", "a/x.env", "a/b/", "a/b/f", "a/b/c/", "a/b/c/f", "d/", "d/f"],
  ...["a/secret/", "a/secret/f", ".git", ".git/f", ".git/hooks/", ".git/hooks/f", "g/", "g/f"],
  ...[".codex", ".codex/f", ".vscode", ".vscode/f", ".envrc", "sub/.git/f", "gone", "gone/deep"],
  ...["l/f", "../way/f", "../beside/f", "../beside/new"],
];

const FILES = ["f", "a/f", "a/x.env", "a/b/f", "a/b/c/f", "d/f", "a/secret/f", "g/f", "sub/.git/f"];
const FOLDERS = ["a", "a/b", "a/b/c", "d", "a/secret", ".git", ".git/hooks", ".codex", "g"];
const OTHERS = ["gone", "gone/deep", "l", "l/f", "../way", "../way/b", "../beside", "../beside/f"];

const disk: fc.Arbitrary<OracleDisk> = fc.record({
  git: fc.constantFrom("folder", "folder", "missing", "empty", "pointer", "pointer to nothing"),
  codex: fc.constantFrom("folder", "missing", "file"),
  vscode: fc.constantFrom("folder", "missing"),
  links: fc.boolean(),
});

const rule: fc.Arbitrary<OracleRule> = fc.record({
  at: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...FOLDERS) },
    { weight: 2, arbitrary: fc.constantFrom(...FILES) },
    { weight: 2, arbitrary: fc.constantFrom(...OTHERS) },
  ),
  access: fc.constantFrom("read", "write", "deny"),
});

export const oracleCase: fc.Arbitrary<OracleCase> = fc.record({
  disk,
  base: fc.oneof(
    { weight: 6, arbitrary: fc.constant("read" as const) },
    { weight: 3, arbitrary: fc.constant("minimal" as const) },
    { weight: 1, arbitrary: fc.constant("write" as const) },
  ),
  workspace: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  rules: fc.array(rule, { maxLength: 4 }),
  glob: fc.option(fc.constantFrom("**/*.env", "**/secret", "a/*.env"), { nil: undefined, freq: 3 }),
});

/** Makes the disk anew below `root`, and what lies beside it. */
export function layOutCase(
  { disk: { git, codex, vscode, links } }: OracleCase,
  root: string,
): void {
  const beside = path.join(root, "../beside");
  for (const one of [root, beside, path.join(root, "../way")]) {
    rmSync(one, { recursive: true, force: true });
  }
  const file = (name: string, text = "x") => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  for (const one of [...FILES, "../beside/f", ".envrc"]) file(one);
  if (git === "folder") for (const one of [".git/f", ".git/hooks/f"]) file(one);
  if (git === "empty") mkdirSync(path.join(root, ".git"));
  if (git === "pointer") file(".git", "gitdir: g\n");
  if (git === "pointer to nothing") file(".git", "gitdir: gone\n");
  if (codex === "folder") file(".codex/f");
  if (codex === "file") file(".codex");
  if (vscode === "folder") file(".vscode/f");
  if (!links) return;
  symlinkSync("d", path.join(root, "l"));
  symlinkSync(path.join(root, "a"), path.join(root, "../way"));
}

/** The state that a client would send for it. */
export function stateOfCase({ base, workspace, rules, glob }: OracleCase, root: string) {
  const entry = (place: string, access: Access) => ({
    path: { type: "path", path: place },
    access,
  });
  const special = (kind: string, access: Access) => ({
    path: { type: "special", value: { kind } },
    access,
  });
  const entries = [
    base === "minimal" ? special("minimal", "read") : special("root", base),
    // The command starts there.
    entry(root, workspace ? "write" : "read"),
    ...rules.map(({ at, access }) => entry(path.join(root, at), access)),
    ...(glob
      ? [{ path: { type: "glob_pattern", pattern: `${root}/${glob}` }, access: "deny" }]
      : []),
  ];
  return {
    permissionProfile: {
      type: "managed",
      file_system: { type: "restricted", entries },
      network: "restricted",
    },
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${root}`,
    useLegacyLandlock: false,
  };
}
