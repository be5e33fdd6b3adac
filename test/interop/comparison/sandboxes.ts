/**
 * writ and its peers, each given the same rules in the words it knows.
 *
 * writ and Codex take one and the same document. srt takes a settings file, in
 * which a rule that has no word of its own is written as its manual says. "By
 * hand" is bubblewrap with the mounts that a person would type: it shows that a
 * trick works where nobody thought of it.
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Access } from "../../../src/policy/index.ts";
import type { Place } from "../../os/support/sandbox-user.ts";
import { CODEX, CODEX_VERSION } from "../support/codex.ts";
import { SRT, SRT_VERSION } from "../support/install-srt.ts";

/** A path below the workspace, or a pattern for such paths. Everything else can be read. */
export interface Rule {
  readonly at: string;
  readonly access: Access;
  readonly pattern?: true;
}

/** What a command may do. */
export interface Policy {
  readonly rules: readonly Rule[];
  /** A variable that it must not get; nothing is said of any when absent. */
  readonly withheld?: string;
}

export interface Sandbox {
  readonly name: string;
  /** The command line that runs `command` under the policy, as the user of the place. */
  argv(place: Place, policy: Policy, command: readonly string[]): string[];
}

export const WORKSPACE: readonly Rule[] = [{ at: ".", access: "write" }];

const writ: Sandbox = {
  name: "writ",
  // It hands on core variables only; there is nothing to say.
  argv: (place, { rules }, command) =>
    place.argv(["run", "--sandbox-state-json", stateOf(place, rules), "--", ...command]),
};

const codex: Sandbox = {
  name: `Codex ${CODEX_VERSION}`,
  argv: (place, { rules, withheld }, command) => [
    ...[...prefixOf(place), CODEX, "sandbox", "--sandbox-state-json", stateOf(place, rules)],
    ...(withheld ? ["-c", 'shell_environment_policy.inherit="core"'] : []),
    ...["--", ...command],
  ],
};

const srt: Sandbox = {
  name: `srt ${SRT_VERSION}`,
  argv(place, policy, command) {
    const settings = path.join(place.outside, "srt-settings.json");
    writeFileSync(settings, JSON.stringify(settingsOf(place, policy)));
    const node = path.join(place.installed, "node_modules/.bin/node");
    return [...prefixOf(place), node, SRT, "--settings", settings, "--", ...command];
  },
};

const byHand: Sandbox = {
  name: "bubblewrap by hand",
  argv: (place, { rules, withheld }, command) => [
    ...prefixOf(place),
    ...["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"],
    ...(withheld ? ["--unsetenv", withheld] : []),
    ...["--dev", "/dev", "--proc", "/proc", ...mountsOf(place, rules), "--", ...command],
  ],
};

export const SANDBOXES: readonly Sandbox[] = [writ, codex, srt, byHand];
export const [WRIT, BY_HAND] = [writ, byHand];

/** What the command line of writ begins with for another user. */
export function prefixOf(place: Place): string[] {
  return place.argv([]).slice(0, -1);
}

/** As a client sends it with an MCP call. The protected names are those of each program. */
function stateOf({ workspace }: Place, rules: readonly Rule[]): string {
  const entries = rules.map(({ at, access, pattern }) => {
    const full = path.join(workspace, at);
    const place = pattern ? { type: "glob_pattern", pattern: full } : { type: "path", path: full };
    return { path: place, access };
  });
  const root = { path: { type: "special", value: { kind: "root" } }, access: "read" };
  return JSON.stringify({
    permissionProfile: {
      type: "managed",
      file_system: { type: "restricted", entries: [root, ...entries] },
      network: "restricted",
    },
    codexLinuxSandboxExe: null,
    sandboxCwd: `file://${workspace}`,
    useLegacyLandlock: false,
  });
}

/** The names that Codex keeps are no rule of srt's, so they are listed. */
function settingsOf({ workspace }: Place, { rules, withheld }: Policy) {
  const paths = (...wanted: Access[]) =>
    rules
      .filter(({ access, pattern }) => wanted.includes(access) && !pattern)
      .map(({ at }) => path.join(workspace, at));
  const patterns = rules.filter(({ pattern }) => pattern).map(({ at }) => path.join(workspace, at));
  const kept = rules.some(({ at }) => at === ".") ? [".git", ".codex", ".agents"] : [];
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    ...(withheld && { credentials: { envVars: [{ name: withheld, mode: "deny" }] } }),
    filesystem: {
      denyRead: [...paths("deny"), ...patterns],
      allowRead: paths("read"),
      allowWrite: paths("write"),
      denyWrite: [...paths("read", "deny"), ...kept.map((name) => path.join(workspace, name))],
    },
  };
}

function mountsOf({ workspace }: Place, rules: readonly Rule[]): string[] {
  const kept = rules.some(({ at }) => at === ".") ? [".git", ".codex"] : [];
  for (const name of kept) mkdirSync(path.join(workspace, name), { recursive: true });
  const known = rules.filter(({ pattern }) => !pattern);
  const added = kept.map((at): Rule => ({ at, access: "read" }));
  return [...known, ...added].flatMap(({ at, access }) => {
    const place = path.join(workspace, at);
    if (access !== "deny") return [access === "write" ? "--bind" : "--ro-bind", place, place];
    if (!existsSync(place)) return [];
    return statSync(place).isDirectory() ? ["--tmpfs", place] : ["--ro-bind", "/dev/null", place];
  });
}
