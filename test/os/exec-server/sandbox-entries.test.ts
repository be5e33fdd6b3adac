/** Cases 70-73 and 83: single rules of a profile, known and unknown, here and of another system. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedLab, uri } from "./support/exec-lab.ts";
import type { Wired } from "./support/wire-client.ts";
import { entry, intent, layOut, ROADS, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const INVALID = -32602;
const restricted = (entries: unknown, more: Wired = {}) => ({
  type: "managed",
  file_system: { type: "restricted", entries, ...more },
  network: "restricted",
});
const READ = entry(":root", "read");

/** Every part of the context with a word that nobody knows. */
const UNKNOWN: readonly (readonly [string, Wired])[] = [
  ["a type of profile", intent({ type: "open" })],
  [
    "a type of file system",
    intent({ type: "managed", file_system: { type: "all" }, network: "restricted" }),
  ],
  ["a word for the network", intent({ ...restricted([READ]), network: "limited" })],
  ["a kind of symbol", intent([entry(":home", "write")])],
  ["a kind of target", intent([{ path: { type: "regex", pattern: "." }, access: "deny" }])],
  ["an access", intent([entry(":root", "execute" as "read")])],
  [
    "what to do about a missing path",
    intent([entry(":root", "read", { missing_path_behavior: "create" })]),
  ],
  ["a level for Windows", { ...intent([READ]), windowsSandboxLevel: "strict" }],
  ["no level for Windows", { ...intent([READ]), windowsSandboxLevel: undefined }],
  ["an override", { ...intent([READ]), sandboxOverride: "off" }],
  ["a member that may be a restriction", { ...intent([READ]), denyRead: ["/etc"] }],
  ["a member of an entry", intent([entry(":root", "read", { unless: "x" })])],
  ["a member of the profile", intent({ ...restricted([READ]), allow: [] })],
  ["a member of policyContext", { ...intent([READ]), policyContext: { roots: [] } }],
  ["a depth of zero", intent(restricted([READ], { glob_scan_max_depth: 0 }))],
  ["a grant by pattern", intent([entry("glob:/**", "write")])],
];

describe.each(ROADS)("over $over as $user", ({ over, user }) => {
  const lab = sharedLab({ over, user });
  const ran = async (script: string, sandbox: unknown, more: Wired = {}) =>
    runUnder(await lab().client(), lab().place, { script, sandbox, ...more });
  const roots = () => ({ workspaceRoots: [uri(lab().place.workspace)] });

  it.each(UNKNOWN)("70 refuses %s, and nothing runs", async (_, sandbox) => {
    const told = await ran("touch ran-70", { ...sandbox, ...roots() });
    expect(told).toMatchObject({
      code: INVALID,
      data: { field: expect.stringMatching(/^sandbox/) },
    });
    expect(fs.existsSync(path.join(lab().place.workspace, "ran-70"))).toBe(false);
  });

  it.each([false, true, 0, "", "none", [], {}].map((value) => [JSON.stringify(value), value]))(
    "70 takes %s for no sandbox member, not for no sandbox",
    async (_, sandbox) => {
      const told = await ran("touch ran-70", sandbox);
      expect(told).toMatchObject({ code: INVALID, data: { field: "sandbox" } });
      expect(fs.existsSync(path.join(lab().place.workspace, "ran-70"))).toBe(false);
    },
  );

  it("70 an unknown special grants nothing, and is refused where it denies", async () => {
    const unknown = (access: string) => ({
      path: { type: "special", value: { kind: "unknown", path: ":somewhere" } },
      access,
    });
    const granted = await ran("touch unknown", intent([READ, unknown("write")], roots()));
    expect(granted).toMatchObject({ exitCode: 1, sandboxDenied: true });
    const denied = await ran("touch unknown", intent([READ, unknown("deny")], roots()));
    expect(denied).toMatchObject({
      code: INVALID,
      message: expect.stringContaining("must not vanish"),
    });
  });

  it("71 bears a missing read path; a missing write path grants nothing and makes nothing", async () => {
    const { outside, workspace } = lab().place;
    const missing = path.join(outside, "missing");
    const sandbox = workspaceWrite(
      [workspace],
      [entry("/orchestrator/arg0", "read"), entry(missing, "write")],
    );
    const told = await ran(`echo ran; mkdir ${missing}`, sandbox);
    expect(told).toMatchObject({ stdout: "ran\n", exitCode: 1 });
    expect(fs.existsSync(missing)).toBe(false);
  });

  it("72 hides a denied folder, what a pattern matches and what a symbolic pattern matches", async () => {
    const { workspace, outside } = lab().place;
    layOut(workspace, {
      "secret/key": "k1\n",
      "a/.env": "k2\n",
      "a/x.pem": "k3\n",
      "a/open": "open\n",
    });
    layOut(outside, { "y.pem": "k4\n" });
    const sandbox = workspaceWrite(
      [workspace],
      [
        entry(path.join(workspace, "secret"), "deny"),
        entry("glob:codex-project-roots://**/.env", "deny"),
        entry(`glob:${path.dirname(workspace)}/**/*.pem`, "none"),
      ],
    );
    const script = `cat secret/key a/.env a/x.pem ${outside}/y.pem; cat a/open; mv secret s; cat s/key`;
    const told = await ran(script, sandbox);
    expect(told).toMatchObject({ stdout: "open\n", exitCode: 1, sandboxDenied: true });
  });

  it.each([
    ["a subpath", (folder: string) => entry(`:project_roots/${folder}`, "deny")],
    ["a pattern", (folder: string) => entry(`glob:codex-project-roots://${folder}/**`, "deny")],
  ])("67 refuses an empty list of roots beside a symbolic deny by %s", async (_, denies) => {
    const sandbox = { ...workspaceWrite([], [denies("secret")]), workspaceRoots: [] };
    const told = await ran("echo ran", sandbox);
    expect(told).toMatchObject({
      code: INVALID,
      message: expect.stringContaining("must not vanish"),
    });
  });

  it("73 reopens below a deny and denies below that again", async () => {
    const { workspace } = lab().place;
    layOut(workspace, {
      "deep/no/yes/never/f": "hidden\n",
      "deep/no/f": "hidden\n",
      "deep/no/yes/f": "seen\n",
    });
    const at = (name: string) => path.join(workspace, name);
    const sandbox = workspaceWrite(
      [workspace],
      [
        entry(at("deep/no"), "deny"),
        entry(at("deep/no/yes"), "write"),
        entry(at("deep/no/yes/never"), "deny"),
      ],
    );
    const script =
      "cat deep/no/yes/f && touch deep/no/yes/new deep/new; cat deep/no/f deep/no/yes/never/f; ls deep/no";
    const told = await ran(script, sandbox);
    expect(told).toMatchObject({ stdout: "seen\n" });
    expect(fs.existsSync(at("deep/no/yes/new")) && fs.existsSync(at("deep/new"))).toBe(true);
  });
});

describe("paths that this host does not have", () => {
  const lab = sharedLab();
  const ran = async (script: string, sandbox: unknown, more: Wired = {}) =>
    runUnder(await lab().client(), lab().place, { script, sandbox, ...more });

  describe.each([
    ["a drive of Windows", "file:///C:/x"],
    ["a share", "file://server/share"],
    ["a share behind an empty host", "file://///server/share/../../%00"],
    ["a hidden separator", "file:///etc%2Fpasswd"],
    ["a NUL", "file:///etc%00"],
    ["a way back", "file:///etc/../usr"],
    ["an encoded way back", "file:///etc/%2E%2e"],
    ["a step that goes nowhere", "file:///./etc"],
    ["a native path", "/etc"],
    ["a relative path", ".."],
    ["another scheme", "http://127.0.0.1/etc"],
    ["a query", "file:///etc?x"],
    ["a fragment", "file:///etc#x"],
    ["a backslash", "file:///etc\\..\\x"],
    ["a line break", "file:///etc\n"],
    ["an opaque path that says nothing", "file:///%00/bad/path/!"],
  ])("K16 %s", (_, bad) => {
    const refused = (field: string) => ({
      code: INVALID,
      data: { field: expect.stringContaining(field) },
    });

    it("34 K16 is refused as cwd", async () => {
      expect(await ran("echo ran", null, { cwd: bad })).toMatchObject({ code: INVALID });
    });

    it("83 K16 is refused in a profile, as root and as cwd of the policy", async () => {
      const target = { path: { type: "path", path: bad }, access: "read" };
      const { workspace } = lab().place;
      expect(await ran("echo ran", workspaceWrite([workspace], [target]))).toMatchObject(
        refused("sandbox"),
      );
      const sent = workspaceWrite([workspace]);
      for (const place of [
        { workspaceRoots: [bad] },
        { cwd: bad },
        { policyContext: { workspaceRoots: [bad] } },
        { policyContext: { cwd: bad } },
      ]) {
        expect(await ran("echo ran", { ...sent, ...place })).toMatchObject(refused("sandbox"));
      }
    });
  });

  it.each(["..", "a/../..", "/etc", "a/../b"])("K16 refuses the subpath %s", async (subpath) => {
    const target = { type: "special", value: { kind: "project_roots", subpath } };
    const told = await ran("echo ran", intent([READ, { path: target, access: "write" }]));
    expect(told).toMatchObject({ code: INVALID });
  });
});
