/**
 * Where our sandbox and that of Codex differ, and why: the whole list.
 *
 * `stricter`: we let a command do less. `model`: Codex lets it do less than its own
 * model says, and we follow the model. Anything that is not here is a bug of ours.
 */
import type { OracleCase, OracleDisk } from "./oracle-case.ts";
import type { Reach } from "./oracle-probe.ts";

export interface Place {
  readonly one: OracleCase;
  /** As in `PROBED`. */
  readonly path: string;
  readonly ours: Reach;
  readonly codex: Reach;
}

export interface Difference {
  readonly what: string;
  readonly codex: string;
  readonly writ: string;
  readonly why: string;
  readonly side: "stricter" | "model";
  covers(place: Place): boolean;
  /** A case that shows it, and where. */
  readonly example: { readonly one: OracleCase; readonly path: string };
}

const PLAIN: OracleDisk = { git: "folder", codex: "folder", vscode: "folder", links: false };

function caseOf(
  more: Partial<Omit<OracleCase, "disk">>,
  disk: Partial<OracleDisk> = {},
): OracleCase {
  const plain = { base: "read", workspace: true, rules: [], glob: undefined } as const;
  return { ...plain, ...more, disk: { ...PLAIN, ...disk } };
}

export const DIFFERENCES: readonly Difference[] = [
  {
    what: "`.vscode`, `.envrc` and other names beyond Codex's four at the top of a writable root",
    codex: "writable",
    writ: "read-only, and cannot be made",
    why: "an editor or a shell runs what is in them",
    side: "stricter",
    covers: ({ path }) => /^\.(vscode|envrc)/.test(path),
    example: { one: caseOf({}), path: ".vscode/f" },
  },
  {
    what: "a deny pattern that matches a folder",
    codex: "its contents stay accessible",
    writ: "they are hidden",
    why: "the model denies what lies below a match",
    side: "stricter",
    covers: ({ one, path }) => one.glob === "**/secret" && path.startsWith("a/secret"),
    example: { one: caseOf({ glob: "**/secret" }), path: "a/secret/f" },
  },
  {
    what: "a `.git` file that points to a folder which is missing",
    codex: "the folder can be made",
    writ: "it cannot",
    why: "the next git command would run its hooks",
    side: "stricter",
    covers: ({ one, path }) => one.disk.git === "pointer to nothing" && path.startsWith("gone"),
    example: { one: caseOf({}, { git: "pointer to nothing" }), path: "gone" },
  },
  {
    what: "places that restricted reads do not name",
    codex: "a scratch space that is gone afterwards",
    writ: "cannot be made",
    why: "a command must not take for written what is lost",
    side: "stricter",
    covers: ({ one, path, codex }) =>
      one.base === "minimal" && path.startsWith("../") && codex === "create",
    example: { one: caseOf({ base: "minimal" }), path: "../beside/new" },
  },
  {
    what: "a `read` or `deny` rule on a link that leads into a writable root",
    codex: "what it leads to may stay writable",
    writ: "read-only or hidden under every name",
    why: "a rule is about the file, not about one of its names",
    side: "stricter",
    covers: ({ one, path }) =>
      one.disk.links &&
      one.rules.some(({ at, access }) => at.startsWith("../way") && access !== "write") &&
      /^(a|\.\.\/way)\//.test(path),
    example: {
      one: caseOf({ rules: [{ at: "../way", access: "read" }] }, { links: true }),
      path: "a/f",
    },
  },
  {
    what: "a rule or a pattern that closes something below a folder, where a write rule on a link leads to that folder",
    codex: "what was closed is writable again",
    writ: "it stays closed",
    why: "the narrowest rule decides, and a pattern denies whatever else is granted",
    side: "stricter",
    covers: ({ one, path }) =>
      one.disk.links &&
      one.rules.some(({ at, access }) => at.startsWith("../way") && access === "write") &&
      ((path === "a/x.env" && one.glob?.endsWith("*.env") === true) ||
        one.rules.some(
          ({ at, access }) => at.startsWith("a/") && access !== "write" && isBelow(path, at),
        )),
    example: {
      one: caseOf(
        { base: "minimal", rules: [{ at: "../way", access: "write" }], glob: "**/*.env" },
        { links: true },
      ),
      path: "a/x.env",
    },
  },
  {
    what: "protected names where the whole disk is writable",
    codex: "writable",
    writ: "read-only",
    why: "they run with the next command, wherever they lie",
    side: "stricter",
    covers: ({ one, path }) => one.base === "write" && /^\.(git|codex)/.test(path),
    example: { one: caseOf({ base: "write" }), path: ".git/f" },
  },
  {
    what: "`read` inside `deny`",
    codex: "hidden, though its model says readable",
    writ: "readable",
    why: "the narrowest rule decides",
    side: "model",
    covers: ({ one, path }) =>
      one.rules.some(
        ({ at, access }) =>
          access === "read" &&
          isBelow(path, at) &&
          one.rules.some((outer) => outer.access === "deny" && isBelow(at, outer.at)),
      ),
    example: {
      one: caseOf({
        rules: [
          { at: "a", access: "deny" },
          { at: "a/b", access: "read" },
        ],
      }),
      path: "a/b/f",
    },
  },
  {
    what: "a writable folder that is missing, inside a missing one that is closed",
    codex: "cannot be made",
    writ: "is there, and writable",
    why: "the narrowest rule decides",
    side: "model",
    covers: ({ one, path }) =>
      one.rules.some(
        ({ at, access }) =>
          access === "write" &&
          isBelow(path, at) &&
          (at === "gone/deep" || (at === ".git/hooks" && one.disk.git === "missing")),
      ),
    example: {
      one: caseOf({
        rules: [
          { at: "gone", access: "read" },
          { at: "gone/deep", access: "write" },
        ],
      }),
      path: "gone/deep",
    },
  },
  {
    what: "a grant on a link, under restricted reads",
    codex: "what it leads to is open, the link itself is not there",
    writ: "open under both names",
    why: "the rule names the link",
    side: "model",
    covers: ({ one, path }) =>
      one.base === "minimal" &&
      one.disk.links &&
      path.startsWith("../way") &&
      one.rules.some(({ at, access }) => at.startsWith("../way") && access !== "deny"),
    example: {
      one: caseOf({ base: "minimal", rules: [{ at: "../way", access: "write" }] }, { links: true }),
      path: "../way/f",
    },
  },
];

/** Why we run nothing where Codex does: what the refusal says, and why. */
export const REFUSALS: readonly {
  readonly says: RegExp;
  readonly what: string;
  readonly why: string;
}[] = [
  {
    says: /it leads through the link ".*" to ".*", and the command may change the link/,
    what: "a rule that leads through a link in a writable folder",
    why: "the command could turn the link elsewhere before the next start",
  },
  {
    says: /is not a folder, and the command may put one in its place/,
    what: "a rule on a path below a writable file",
    why: "nothing there can be covered until the command has replaced the file",
  },
  {
    says: /it leads to ".*", which .* hides/,
    what: "a grant on a link to what another rule hides",
    why: "the two contradict each other, and which is meant cannot be known",
  },
];

function isBelow(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}
