import { describe, expect, it } from "vitest";
import { bindInAnchor } from "../../../src/exec/anchors/bind-in-anchor.ts";
import type { ExecHost, SandboxIntent } from "../../../src/exec/index.ts";
import {
  type Access,
  accessTo,
  parseAbsolutePath as at,
  type Entry,
  type PermissionProfile,
  uriOfNative,
} from "../../../src/policy/index.ts";

const FOLDERS = {
  home: at("/var/tmp/w-anchors/x/home"),
  tmp: at("/var/tmp/w-anchors/x/tmp"),
  shelf: at("/var/tmp/w-anchors/x/shelf"),
};
const HOST: ExecHost = {
  env: { TMPDIR: "/srv/tmp", HOME: "/srv/u" },
  platform: "linux",
  own: { hidden: [], readOnly: [] },
  records: at("/var/tmp/w"),
  tmpdir: { path: at("/srv/tmp"), real: at("/srv/tmp") },
  homes: [at("/srv/u")],
  externalSandbox: "absent",
  bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
};

function bound(fileSystem: Extract<PermissionProfile, { type: "managed" }>["fileSystem"]) {
  const cwd = uriOfNative("/");
  const profile: PermissionProfile = {
    type: "managed",
    fileSystem,
    network: { kind: "restricted" },
    unixSockets: "none",
  };
  const intent: SandboxIntent = {
    kind: "enforce",
    context: {
      ...{ profile, cwd, workspaceRoots: [] },
      settings: { windowsSandboxLevel: "disabled" },
    },
  };
  return bindInAnchor({ intent, cwd: at("/") }, FOLDERS, HOST).bound;
}

const pathTo = (path: string): Entry["target"] & { type: "path" } => ({
  type: "path",
  path: uriOfNative(path),
});
const root = (access: Access): Entry => ({ target: { type: "root" }, access });
const tmpdir = (access: Access): Entry => ({ target: { type: "tmpdir" }, access });

describe("bindInAnchor", () => {
  it.each<[Access, Entry[]]>([
    ["write", [root("read"), tmpdir("write")]],
    ["write", [root("write")]],
    ["read", [root("read")]],
    ["deny", [root("read"), tmpdir("deny")]],
    ["deny", [{ target: { type: "minimal" }, access: "read" }]],
  ])("opens both folders as the policy opens temporary files: %s", (access, entries) => {
    const found = bound({ type: "restricted", entries });
    expect([FOLDERS.home, FOLDERS.tmp].map((path) => accessTo(found, path))).toEqual([
      access,
      access,
    ]);
  });

  it("protects no name in its own folders, which nobody else works in", () => {
    const found = bound({ type: "restricted", entries: [root("read"), tmpdir("write")] });
    const names = [FOLDERS.home, FOLDERS.tmp].map((folder) => at(`${folder}/.git/config`));
    expect(names.map((path) => accessTo(found, path))).toEqual(["write", "write"]);
  });

  it("names both where the policy restricts no files, so that they can be shown again", () => {
    const { files } = bound({ type: "unrestricted" });
    const entries = files.type === "restricted" ? files.entries : [];
    expect(entries.map(({ path, access }) => [path, access])).toEqual([
      ["/", "write"],
      [FOLDERS.home, "write"],
      [FOLDERS.tmp, "write"],
      [FOLDERS.shelf, "read"],
    ]);
  });

  it.each<[string, Access, Entry[]]>([
    ["nothing is opened", "read", [{ target: { type: "minimal" }, access: "read" }]],
    ["everything is opened", "read", [root("write")]],
    ["temporary files are opened", "read", [root("read"), tmpdir("write")]],
    ["everything is denied", "deny", [root("deny")]],
    ["it is opened by name", "read", [{ target: pathTo(FOLDERS.shelf), access: "write" }]],
  ])("lets commands only read the shelf where %s", (_, access, entries) => {
    const found = bound({ type: "restricted", entries });
    expect(accessTo(found, at(`${FOLDERS.shelf}/skills/a`))).toBe(access);
  });

  it("opens nothing below the shelf for writing, whatever a policy names", () => {
    const below = at(`${FOLDERS.shelf}/skills`);
    const entries: Entry[] = [root("read"), { target: pathTo(below), access: "write" }];
    expect(accessTo(bound({ type: "restricted", entries }), at(`${below}/a`))).toBe("read");
  });

  it("binds the symbol to the anchor's folder, and no more to the executor's", () => {
    const found = bound({ type: "restricted", entries: [root("read"), tmpdir("write")] });
    expect(found.roots.tmpdir).toBe(FOLDERS.tmp);
    expect(accessTo(found, at("/srv/tmp"))).toBe("read");
  });
});
