/** Generated profiles and trees for the comparison of file operations with a command in the sandbox. */
import fc from "fast-check";

/** Below the folder of a case: what is there, and for a link where it leads. */
export interface Item {
  readonly name: string;
  readonly kind: "folder" | "file" | "link";
  readonly target?: string;
  readonly mode?: number;
  /** Whose it is where the test may give it away. */
  readonly owner?: number;
}

export interface AlikeCase {
  readonly items: readonly Item[];
  /** `read`: all of the host; `minimal`: only what a program needs. */
  readonly root: "read" | "minimal";
  readonly workspace: "read" | "write";
  readonly rules: readonly { readonly name: string; readonly access: "read" | "write" | "deny" }[];
  readonly glob: string | null;
}

const FOLDERS = ["ws/a", "ws/a/b", "ws/.git", "ws/.git/hooks", "ws/c", "out", "out/d", "home/in"];
const FILES = [
  "ws/f",
  "ws/a/f",
  "ws/a/x.env",
  "ws/a/b/f",
  "ws/.git/config",
  "ws/x.env",
  "ws/c/f",
  "out/f",
  "out/d/f",
  "out/x.env",
  "home/f",
  "prog/f",
];
const LINKS: readonly (readonly [string, string])[] = [
  ["ws/to-out", "../out"],
  ["ws/to-file", "a/f"],
  ["ws/to-host", "/etc/hostname"],
  ["ws/to-home", "../home"],
  ["ws/nowhere", "none"],
  ["ws/a/up", "../c"],
  ["ws/loop", "loop"],
  ["out/to-ws", "../ws/a"],
];

/** Every path that is tried, there or not. */
export const NAMES = [
  ...["ws", "home", "prog"],
  ...FOLDERS,
  ...FILES,
  ...LINKS.map(([name]) => name),
  ...["ws/to-out/f", "ws/to-out/d", "ws/to-home/f", "ws/a/up/f", "out/to-ws/x.env", "out/to-ws/b"],
  ...["ws/.codex", "ws/missing", "ws/missing/f", "ws/f/below"],
];

const OWNER = fc.constantFrom(0, 0, 0, 1000);

const folder = fc.constantFrom(...FOLDERS).map((name): Item => ({ name, kind: "folder" }));
const file = fc
  .record({
    name: fc.constantFrom(...FILES),
    mode: fc.constantFrom(0o644, 0o644, 0o644, 0o444, 0o000, 0o600, 0o666),
    owner: OWNER,
  })
  .map((one): Item => ({ kind: "file", ...one }));
const closed = fc
  .record({
    name: fc.constantFrom("ws/c", "out/d"),
    mode: fc.constantFrom(0o500, 0o700, 0o1777, 0o311),
    owner: OWNER,
  })
  .map((one): Item => ({ kind: "folder", ...one }));
const link = fc
  .constantFrom(...LINKS)
  .map(([name, target]): Item => ({ name, kind: "link", target }));

const rule = fc.record({
  name: fc.constantFrom(
    "ws/a",
    "ws/a/b",
    "ws/a/f",
    "ws/c",
    "ws/.git",
    "ws/missing",
    "out",
    "out/d",
  ),
  access: fc.constantFrom("read", "write", "deny"),
});

/** Any of them. */
export const alikeCase: fc.Arbitrary<AlikeCase> = fc.record({
  items: fc
    .array(fc.oneof(file, file, file, folder, link, link, closed), { minLength: 6, maxLength: 24 })
    .map((items) => [...new Map(items.map((item) => [item.name, item])).values()]),
  root: fc.constantFrom("read", "read", "minimal"),
  workspace: fc.constantFrom("write", "write", "read"),
  rules: fc.uniqueArray(rule, { maxLength: 4, selector: ({ name }) => name }),
  glob: fc.constantFrom(null, "**/*.env"),
} as const) as fc.Arbitrary<AlikeCase>;
