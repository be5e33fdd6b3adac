import { describe, expect, it } from "vitest";
import { type Config, chooseProfile, defaultProfile } from "../../src/config/index.ts";
import { readProfileTable, type SandboxMode } from "../../src/policy/index.ts";

interface Layers {
  readonly user?: Readonly<Record<string, unknown>>;
  readonly project?: Readonly<Record<string, unknown>>;
  readonly userDefault?: string;
  readonly projectDefault?: string;
  readonly mode?: SandboxMode;
}

function configOf({ user = {}, project, userDefault, projectDefault, mode }: Layers): Config {
  const layer = (file: string, tables: Readonly<Record<string, unknown>>, chosen?: string) => ({
    file,
    ...(chosen !== undefined && { defaultPermissions: chosen }),
    profiles: new Map(
      Object.entries(tables).map(([name, table]) => [name, readProfileTable(table, name)]),
    ),
  });
  return {
    user: layer("config.toml", user, userDefault),
    project: project && layer("writ.toml", project, projectDefault),
    mcpServers: new Map(),
    dependencies: {},
    ceiling: undefined,
    defaultFrom: "files",
    requested: new Set(),
    unknownKeys: [],
    settings: {
      modelProviders: new Map(),
      workspaceWrite: {
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
      skills: { roots: [], disabled: [], trustedProjects: [] },
      ...(mode !== undefined && { sandboxMode: mode }),
    },
    environment: { inherit: "core", include: [], exclude: [], set: {} },
  };
}

describe("chooseProfile", () => {
  it("trusts the user's own profiles", () => {
    const chosen = chooseProfile(configOf({ user: { dev: {} } }), "dev", "/home/me");
    expect(chosen).toMatchObject({ id: "dev", file: "config.toml" });
    expect(chosen.within).toBeUndefined();
  });

  it("measures a project's profile against the user's default", () => {
    const config = configOf({ user: { dev: {} }, userDefault: "dev", project: { tight: {} } });
    expect(chooseProfile(config, "tight", "/home/me").within?.id).toBe("dev");
  });

  it("measures it against the user's default even where a mode was chosen too", () => {
    const both = { user: { dev: {} }, userDefault: "dev", mode: "workspace-write" as const };
    const config = configOf({ ...both, project: { tight: {} } });
    expect(chooseProfile(config, "tight", "/home/me").within?.id).toBe("dev");
  });

  it("measures it against the workspace profile when the user chose none", () => {
    const chosen = chooseProfile(configOf({ project: { tight: {} } }), "tight", "/home/me");
    expect(chosen.within?.id).toBe(":workspace");
  });

  it("measures it against the mode when that is what the user chose", () => {
    const config = configOf({ project: { tight: {} }, mode: "read-only" });
    const { within } = chooseProfile(config, "tight", "/home/me");
    expect(within?.id).toBe("read-only");
    expect(within?.profile).toEqual(chooseProfile(config, ":read-only", "/home/me").profile);
  });

  it("lets a project extend a profile of the user's", () => {
    const config = configOf({
      user: { dev: { filesystem: { "/srv": "read" } } },
      project: { tight: { extends: "dev" } },
    });
    expect(chooseProfile(config, "tight", "/home/me").extends).toBe("dev");
  });

  it("does not let a user's profile extend a project's", () => {
    const config = configOf({ user: { dev: { extends: "theirs" } }, project: { theirs: {} } });
    expect(() => chooseProfile(config, "dev", "/home/me")).toThrow(/extends "theirs"/);
  });

  it("refuses a default of the user's that only the project defines", () => {
    const config = configOf({ userDefault: "dev", project: { dev: {} } });
    expect(() => chooseProfile(config, "dev", "/home/me")).toThrow(
      expect.objectContaining({ code: "widens" }),
    );
  });

  it("refuses a name that nothing defines", () => {
    expect(() => chooseProfile(configOf({}), "dev", "/home/me")).toThrow(/no such profile/);
  });
});

describe("defaultProfile", () => {
  it("is nothing when no file chooses one", () => {
    expect(defaultProfile(configOf({ user: { dev: {} } }), "/home/me")).toBeUndefined();
  });

  it("bounds what a project selects, built-in profiles included", () => {
    const config = configOf({ project: {}, projectDefault: ":danger-full-access" });
    expect(defaultProfile(config, "/home/me")).toMatchObject({
      id: ":danger-full-access",
      within: { id: ":workspace" },
    });
  });

  it("is not the operator's where the user chose a mode", () => {
    const ceiling = { source: "requirements.toml", defaultProfile: ":workspace", denies: [] };
    const config = { ...configOf({ mode: "read-only" }), ceiling };
    expect(defaultProfile(config, "/home/me")).toBeUndefined();
    expect(defaultProfile({ ...configOf({}), ceiling }, "/home/me")?.id).toBe(":workspace");
  });
});
