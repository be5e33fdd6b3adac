/**
 * One policy, set once at `thread/start`, on the three roads that a tool call can take.
 *
 * Nothing is faked but the model: the built app-server, the built REPL as its MCP server and the
 * built exec-server as its other machine run the same script, and what it could do is looked at on
 * the host.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { READ_ONLY, WORKSPACE_WRITE } from "../os/app-server/support/policies.ts";
import { listenOnHost } from "../os/support/network-listener.ts";
import { type Place, USERS } from "../os/support/sandbox-user.ts";
import { ROADS, roadsLab } from "./support/roads-lab.ts";

/** What the script may do, by what it tries. */
type Seen = Readonly<Record<string, "yes" | "no">>;

const NOTHING: Seen = {
  ...{ inside: "no", outside: "no", git: "no", tmp: "no", secret: "yes", network: "no" },
};

/** Under it even the worker of a REPL can be read only because that is opened beside the policy. */
const FEW_READS = ({ workspace }: Place) => {
  const access = { type: "restricted", includePlatformDefaults: true, readableRoots: [workspace] };
  return { sandboxPolicy: { ...WORKSPACE_WRITE, readOnlyAccess: access } };
};

type Members = object | ((place: Place) => object);

const POLICIES: readonly (readonly [name: string, members: Members, seen: Seen])[] = [
  ["read-only", { sandboxPolicy: READ_ONLY }, NOTHING],
  [
    "workspace-write",
    { sandboxPolicy: WORKSPACE_WRITE },
    { ...NOTHING, inside: "yes", tmp: "yes" },
  ],
  [
    "workspace-write without /tmp",
    { sandboxPolicy: { ...WORKSPACE_WRITE, excludeSlashTmp: true } },
    { ...NOTHING, inside: "yes" },
  ],
  [
    "a profile with a deny",
    { permissions: "mine" },
    { ...NOTHING, inside: "yes", tmp: "yes", secret: "no" },
  ],
  ["few reads", FEW_READS, { ...NOTHING, inside: "yes", tmp: "yes" }],
  [
    "workspace-write with the network",
    { sandboxPolicy: { ...WORKSPACE_WRITE, networkAccess: true } },
    { ...NOTHING, inside: "yes", tmp: "yes", network: "yes" },
  ],
  [
    "no sandbox",
    { sandbox: "danger-full-access" },
    { inside: "yes", outside: "yes", git: "yes", tmp: "yes", secret: "yes", network: "yes" },
  ],
];

let tests = 0;

/** What a road may have left on the host, by what it tried. */
function leftBy(mark: string, { workspace, outside }: Place): Readonly<Record<string, string>> {
  const files = {
    inside: path.join(workspace, mark),
    outside: path.join(outside, mark),
    git: path.join(workspace, ".git", mark),
    tmp: path.join("/tmp", mark),
  };
  onTestFinished(() => rmSync(files.tmp, { force: true }));
  return files;
}

/** By what was tried, what lies there now. */
function textsIn(files: Readonly<Record<string, string>>): Record<string, string> {
  const text = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, text(file)]));
}

describe.each(USERS)("a policy of a thread of %s", (user) => {
  const lab = roadsLab(user);

  it.each(POLICIES)(
    "allows, does and is called the same on every road: %s",
    async (_, members, seen) => {
      const { place, thread } = lab();
      const { start, run } = await thread(typeof members === "function" ? members(place) : members);
      const { profileDigest } = start.writ;
      const tried = Object.entries(seen);
      tests += 1;
      for (const road of ROADS) {
        const host = await listenOnHost();
        const mark = `${path.basename(path.dirname(place.workspace))}-${tests}-${road}`;
        const files = leftBy(mark, place);
        const { lines, receipt } = await run(road, `${mark} ${host.port} ${place.outside}`);
        const made = tried.filter(([name]) => name in files);
        expect({ road, lines, texts: textsIn(files), heard: await host.heard() }).toEqual({
          road,
          lines: tried.map(([name, word]) => `probe ${name} ${word}`).toSorted(),
          texts: Object.fromEntries(
            made.map(([name, word]) => [name, word === "yes" ? `${mark}\n` : ""]),
          ),
          heard: seen.network === "yes" ? ["tcp"] : [],
        });
        expect({ road, profileDigest: receipt.profileDigest }).toEqual({ road, profileDigest });
        expect(receipt.waived === null).toBe(seen.outside === "no");
      }
    },
  );
});
