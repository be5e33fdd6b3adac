import { describe, expect, it } from "vitest";
import { defaultChoice, modePolicy } from "../../src/config/index.ts";
import { loadFrom } from "./support/load-from.ts";

const HOME = "/home/me";

interface Said {
  readonly user?: string;
  readonly project?: string;
  readonly operator?: string;
  readonly overrides?: Readonly<Record<string, unknown>>;
}

async function choice({ user = "", project = "", operator = "", overrides }: Said) {
  const files = {
    "home/config.toml": user,
    "project/writ.toml": project,
    ...(operator !== "" && { "etc/requirements.toml": operator }),
  };
  return defaultChoice(await loadFrom(files, overrides), HOME);
}

const DANGER = 'default_permissions = ":danger-full-access"';

describe("defaultChoice", () => {
  it("reads and nothing else where nobody said anything", async () => {
    const found = await choice({});
    expect(found).toMatchObject({ kind: "profile", chosen: { id: ":read-only" } });
    expect(found).not.toHaveProperty("chosen.within");
  });

  it("A11 is the default of the user's file", async () => {
    const user = 'default_permissions = "dev"\n[permissions.dev]\nextends = ":workspace"';
    expect(await choice({ user })).toMatchObject({ kind: "profile", chosen: { id: "dev" } });
  });

  it("is the mode of the user's file, with what it says about workspaces", async () => {
    const user =
      'sandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nnetwork_access = true';
    expect(await choice({ user })).toMatchObject({
      kind: "policy",
      mode: "workspace-write",
      policy: { type: "workspaceWrite", networkAccess: true, writableRoots: [] },
    });
  });

  it("is the default profile where a file has a mode beside it", async () => {
    const user = 'default_permissions = ":read-only"\nsandbox_mode = "danger-full-access"';
    expect(await choice({ user })).toMatchObject({ kind: "profile", chosen: { id: ":read-only" } });
  });

  it("is the operator's where the user said nothing, and not where the user chose a mode", async () => {
    const operator =
      'default_permissions = ":workspace"\n[allowed_permission_profiles]\n":workspace" = true\n":read-only" = true';
    expect(await choice({ operator })).toMatchObject({ chosen: { id: ":workspace" } });
    expect(await choice({ operator, user: 'sandbox_mode = "read-only"' })).toMatchObject({
      kind: "policy",
      mode: "read-only",
    });
  });

  it("is the project's, within what would hold without it", async () => {
    const project = 'default_permissions = ":read-only"';
    const within = async (user: string) => {
      const found = await choice({ user, project });
      return found.kind === "profile" ? [found.chosen.id, found.chosen.within?.id] : found.kind;
    };
    expect(await within('default_permissions = ":workspace"')).toEqual([
      ":read-only",
      ":workspace",
    ]);
    expect(await within('sandbox_mode = "workspace-write"')).toEqual([
      ":read-only",
      "workspace-write",
    ]);
    expect(await within("")).toEqual([":read-only", ":read-only"]);
  });

  it.each([
    ["profile", { default_permissions: ":read-only" }, { chosen: { id: ":read-only" } }],
    ["mode", { sandbox_mode: "read-only" }, { kind: "policy", policy: { type: "readOnly" } }],
    [
      "profile before a mode",
      { sandbox_mode: "danger-full-access", default_permissions: ":read-only" },
      { chosen: { id: ":read-only" } },
    ],
  ])("is the %s of a request, whatever the files choose", async (_, overrides, expected) => {
    const project = 'default_permissions = ":workspace"';
    for (const user of [DANGER, 'sandbox_mode = "danger-full-access"', ""]) {
      const found = await choice({ user, project, overrides });
      expect(found).toMatchObject(expected);
      expect(found).not.toHaveProperty("chosen.within");
    }
  });

  it("stays the files' where a request speaks of something else", async () => {
    const found = await choice({
      project: 'default_permissions = ":read-only"',
      overrides: { model: "m" },
    });
    expect(found).toMatchObject({ chosen: { id: ":read-only", within: { id: ":read-only" } } });
  });

  it("A08 refuses a default that nothing defines", async () => {
    await expect(choice({ user: 'default_permissions = "gone"' })).rejects.toThrow(
      /no such profile/,
    );
    await expect(choice({ overrides: { default_permissions: "gone" } })).rejects.toThrow(
      /no such profile/,
    );
  });

  it("refuses a request that makes a project's profile the user's default", async () => {
    const project = '[permissions.theirs]\nextends = ":workspace"';
    await expect(
      choice({ project, overrides: { default_permissions: "theirs" } }),
    ).rejects.toMatchObject({ code: "widens" });
  });
});

describe("modePolicy", () => {
  const workspaceWrite = {
    writableRoots: ["/srv"],
    networkAccess: true,
    excludeTmpdirEnvVar: true,
    excludeSlashTmp: true,
  };

  it("gives the words on workspaces to the mode that has any", () => {
    expect(modePolicy("workspace-write", { workspaceWrite })).toEqual({
      type: "workspaceWrite",
      readOnlyAccess: { type: "fullAccess" },
      ...workspaceWrite,
    });
    expect(modePolicy("read-only", { workspaceWrite })).toEqual({
      type: "readOnly",
      access: { type: "fullAccess" },
      networkAccess: false,
    });
    expect(modePolicy("danger-full-access", { workspaceWrite })).toEqual({
      type: "dangerFullAccess",
    });
  });
});
