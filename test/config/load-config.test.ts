import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createConfigLoader, loadConfig } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { placesIn } from "./support/load-from.ts";

function load(files: Readonly<Record<string, string>>, folder = "project") {
  const root = temporaryFolder(files);
  return loadConfig({ ...placesIn(root), folder: path.join(root, folder) });
}

describe("loadConfig", () => {
  it("has no profiles, no project and no ceiling where there are no files", async () => {
    const config = await load({});
    expect(config.user.profiles.size).toBe(0);
    expect(config.project).toBeUndefined();
    expect(config.ceiling).toBeUndefined();
  });

  it("reads the user's file and the nearest project file above the folder", async () => {
    const config = await load(
      {
        "home/config.toml":
          'default_permissions = "dev"\n[permissions.dev]\nextends = ":workspace"',
        "project/writ.toml": '[permissions.tight]\nextends = ":read-only"',
      },
      "project/a/b",
    );
    expect(config.user.defaultPermissions).toBe("dev");
    expect([...config.user.profiles.keys()]).toEqual(["dev"]);
    expect([...(config.project?.profiles.keys() ?? [])]).toEqual(["tight"]);
  });

  it("looks past a project file that says nothing, as a running sandbox may have put it there", async () => {
    const tight = '[permissions.tight]\nextends = ":read-only"';
    const config = await load(
      { "project/writ.toml": tight, "project/a/writ.toml": "" },
      "project/a",
    );
    expect([...(config.project?.profiles.keys() ?? [])]).toEqual(["tight"]);
  });

  it.each([
    ["settings of which one is selected", 'profile = "fast"', /config\.toml: profile"/],
    ["a default that is not a name", "default_permissions = 1", /default_permissions/],
    ["profiles that are no table", "permissions = 3", /permissions/],
    ["a name that is built in", '[permissions.":workspace"]', /built in/],
    [
      "an unknown key in a profile",
      "[permissions.x]\nfilesytem = {}",
      /unknown member "filesytem", expected one of description, extends, workspace_roots, filesystem, /,
    ],
    ["text that is not TOML", "[permissions", /config\.toml:1:/],
    ["a key said twice", 'default_permissions = "a"\ndefault_permissions = "b"', /config\.toml:2:/],
  ])("refuses a file with %s", async (_, text, message) => {
    await expect(load({ "home/config.toml": text })).rejects.toThrow(message);
  });

  it("notes keys it does not know, each with its file", async () => {
    const text =
      'notify = ["beep"]\n[tui]\ntheme = "x"\n[mcp_servers.a]\ncommand = "a"\nrequired = true';
    const { unknownKeys, user } = await load({ "home/config.toml": text });
    expect(unknownKeys).toEqual(
      ["notify", "tui", "mcp_servers.a.required"].map((key) => ({ file: user.file, key })),
    );
  });

  it.each([
    "model",
    "model_provider",
    "approval_policy",
    "sandbox_mode",
    "defualt_permissions",
    "__proto__",
  ])("refuses %s in a project's file", async (key) => {
    await expect(load({ "project/writ.toml": `${key} = "never"` })).rejects.toThrow(
      `unknown key "${key}", expected one of default_permissions, permissions`,
    );
  });

  it("refuses a profile that both files define", async () => {
    const files = { "home/config.toml": "[permissions.x]", "project/writ.toml": "[permissions.x]" };
    await expect(load(files)).rejects.toThrow(/defines it too/);
  });

  it("refuses a file that cannot be read, instead of going on without it", async () => {
    await expect(load({ "home/config.toml/in-the-way": "" })).rejects.toThrow(
      expect.objectContaining({ code: "unreadable" }),
    );
  });

  it.each([
    ["the user's file", "home/config.toml", "home/config.toml"],
    ["the project's file", "project/writ.toml", "project/writ.toml"],
    ["the operator's file", "etc/requirements.toml", "etc/requirements.toml"],
    ["the operator's folder", "etc", "etc/requirements.toml"],
  ])("refuses a link to nothing in the place of %s: it means a file", async (_, link, file) => {
    const root = temporaryFolder({ "home/x": "", "project/x": "", "other/x": "" });
    if (link !== "etc") mkdirSync(path.join(root, "etc"));
    symlinkSync("/nowhere/at/all", path.join(root, link));
    const why = `Cannot read "${root}/${file}": the link "${root}/${link}" leads nowhere`;
    await expect(loadConfig(placesIn(root))).rejects.toThrow(why);
    await expect(createConfigLoader().load(placesIn(root))).rejects.toThrow(why);
  });

  it("looks for files in a folder that a link leads to, where none need be", async () => {
    const root = temporaryFolder({ "real/x": "", "project/x": "" });
    for (const name of ["home", "etc"]) symlinkSync("real", path.join(root, name));
    expect((await loadConfig(placesIn(root))).ceiling).toBeUndefined();
    expect((await createConfigLoader().load(placesIn(root))).ceiling).toBeUndefined();
  });

  it("refuses a file that has more in it than its size says", async () => {
    const root = temporaryFolder({ "home/x": "", "project/x": "" });
    symlinkSync("/proc/version", path.join(root, "home/config.toml"));
    await expect(loadConfig(placesIn(root))).rejects.toThrow(/grew while it was read/);
  });

  it("reads the operator's requirements for this host", async () => {
    const config = await load({
      "etc/requirements.toml": `
allowed_sandbox_modes = ["read-only"]
[[remote_sandbox_config]]
hostname_patterns = ["build-*.example.com"]
allowed_sandbox_modes = ["read-only", "workspace-write"]
[permissions.filesystem]
deny_read = ["/srv/keys"]`,
    });
    expect(config.ceiling?.allowedModes).toEqual(["read-only", "workspace-write"]);
    expect(config.ceiling?.denies).toHaveLength(1);
  });

  it("refuses requirements it does not understand: no ceiling would be the opposite of one", async () => {
    await expect(load({ "etc/requirements.toml": "alowed_sandbox_modes = []" })).rejects.toThrow(
      /unknown/,
    );
  });
});
