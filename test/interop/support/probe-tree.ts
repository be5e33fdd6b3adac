/** A small tree, rules over it, and a script that tells what a command can really do with each file. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import type { Access } from "../../../src/policy/index.ts";

const FOLDERS = ["a", "a/b", "a/b/c", "d", ".git", ".git/hooks", ".codex", "a/.git"];

/** Every file of the tree, relative to its root. */
export const FILES = [
  "a/f",
  "a/b/f",
  "a/b/c/f",
  "d/f",
  ".git/f",
  ".git/hooks/f",
  ".codex/f",
  "a/.git/f",
];

export interface Rule {
  readonly at: string;
  readonly access: Access;
}

/** A writable file makes Codex fail at start (case 26), so only folders are written to. */
const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc.record({ at: fc.constantFrom(...FOLDERS), access: fc.constantFrom("read", "write", "deny") }),
  fc.record({ at: fc.constantFrom(...FILES), access: fc.constantFrom("read", "deny") }),
);

/** Rules that both enforcers can mean alike: Codex does not reopen a `read` inside a `deny` on Linux. */
export const comparableRules = fc
  .array(rule, { maxLength: 5 })
  .filter((list) => !list.some((inner) => inner.access === "read" && isInsideDeny(inner, list)));

function isInsideDeny({ at }: Rule, rules: readonly Rule[]): boolean {
  return rules.some((outer) => outer.access === "deny" && at.startsWith(`${outer.at}/`));
}

/** Lays the tree out below `root`. */
export function layOut(root: string): void {
  for (const one of FOLDERS) mkdirSync(path.join(root, one), { recursive: true });
  for (const one of FILES) writeFileSync(path.join(root, one), "x");
}

/** The sandbox state that a client would send: read everything, write the root, and these rules. */
export function stateOf(root: string, rules: readonly Rule[]) {
  const entry = (place: string, access: Access) => ({
    path: { type: "path", path: place },
    access,
  });
  const entries = [
    { path: { type: "special", value: { kind: "root" } }, access: "read" },
    entry(root, "write"),
    ...rules.map(({ at, access }) => entry(path.join(root, at), access)),
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

/** Prints `path read|write|deny` for each file. */
const PROBE = `for f in "$@"; do
  if cat "$f" >/dev/null 2>&1; then
    if (: >> "$f") 2>/dev/null; then echo "$f write"; else echo "$f read"; fi
  else echo "$f deny"; fi
done`;

/** The command that probes every file of the tree. */
export function probeCommand(root: string): string[] {
  return ["/bin/sh", "-c", PROBE, "sh", ...FILES.map((file) => path.join(root, file))];
}

/** What a probe printed, by relative path; nothing when it did not run. */
export function readProbe(stdout: string, root: string): Record<string, string> | undefined {
  if (stdout === "") return undefined;
  const lines = stdout.trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const [file = "", access = ""] = line.split(" ");
      return [path.relative(root, file), access];
    }),
  );
}
