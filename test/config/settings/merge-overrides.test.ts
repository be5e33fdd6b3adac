import { describe, expect, it } from "vitest";
import { chooseProfile } from "../../../src/config/index.ts";
import { loadFrom } from "../support/load-from.ts";

type Overrides = Readonly<Record<string, unknown>>;
const HOME = "/home/me";
const INLINE = {
  extends: ":workspace",
  filesystem: { "/data": "write", "/data/s": "deny" },
  network: { enabled: true },
};

const load = (overrides: Overrides, text = "") => loadFrom({ "home/config.toml": text }, overrides);

describe("the overrides of a request", () => {
  it("A12 define a profile that no file has", async () => {
    const config = await load({ permissions: { adhoc: INLINE } });
    const { profile, file, within, extends: parent } = chooseProfile(config, "adhoc", HOME);
    expect({ file, within, parent }).toEqual({
      file: undefined,
      within: undefined,
      parent: ":workspace",
    });
    expect(profile).toMatchObject({ network: { kind: "enabled" } });
    expect(JSON.stringify(profile)).toContain(
      '{"target":{"type":"path","path":"file:///data/s"},"access":"deny"}',
    );
  });

  it("A12 mean the same with dotted keys", async () => {
    const dotted = await load({
      "permissions.adhoc.extends": ":workspace",
      "permissions.adhoc.filesystem": INLINE.filesystem,
      "permissions.adhoc.network.enabled": true,
    });
    const nested = await load({ permissions: { adhoc: INLINE } });
    expect(chooseProfile(dotted, "adhoc", HOME)).toEqual(chooseProfile(nested, "adhoc", HOME));
  });

  it("are laid over the user's tables, key by key", async () => {
    const text = `
      model = "old"
      [sandbox_workspace_write]
      writable_roots = ["/srv"]
      exclude_slash_tmp = true
      [permissions.dev.filesystem]
      "/keys" = "deny"`;
    const { settings, user } = await load(
      {
        model: "new",
        "sandbox_workspace_write.network_access": true,
        permissions: { dev: { filesystem: { "/data": "write" } } },
      },
      text,
    );
    expect(settings.model).toBe("new");
    expect(settings.workspaceWrite).toEqual({
      writableRoots: ["/srv"],
      networkAccess: true,
      excludeTmpdirEnvVar: false,
      excludeSlashTmp: true,
    });
    expect(user.profiles.get("dev")?.filesystem).toEqual({ "/keys": "deny", "/data": "write" });
  });

  it("put a list in the place of a list", async () => {
    const text = '[sandbox_workspace_write]\nwritable_roots = ["/srv"]';
    const { settings } = await load({ sandbox_workspace_write: { writable_roots: [] } }, text);
    expect(settings.workspaceWrite.writableRoots).toEqual([]);
  });

  it("leave servers and variables of the file as they are", async () => {
    const text = '[environment]\ninherit = "none"\n[mcp_servers.a]\ncommand = "a"';
    const config = await load({ model: "m" }, text);
    expect(config.environment.inherit).toBe("none");
    expect([...config.mcpServers.keys()]).toEqual(["a"]);
  });

  it("add no server with an empty table of them, and take none away", async () => {
    const { mcpServers } = await load({ mcp_servers: {} }, '[mcp_servers.a]\ncommand = "a"');
    expect([...mcpServers.keys()]).toEqual(["a"]);
  });

  it.each<[string, unknown]>([
    ["mcp_servers", { files: {} }],
    ["mcp_servers", []],
    ["mcp_servers", null],
    ["mcp_servers.files", {}],
    ["mcp_servers.files.command", {}],
    ["dependencies", {}],
    ["session_provider", "local"],
    ["dependencies.npm", { a: "1.0.0" }],
    ["environment", {}],
    ["environment.set", {}],
    ["environment.set.PATH", {}],
  ])("must not say %s = %j", async (key, value) => {
    await expect(load({ [key]: value })).rejects.toMatchObject({
      code: "malformed",
      message: expect.stringContaining(`Cannot read "config.${key}": a request starts no servers`),
    });
  });

  it("are noted where nothing knows them, however they are spelt", async () => {
    const keys = ["features.apps", "tui", "plugins.a@b.enabled", "", ".", "permission.x"];
    const { unknownKeys } = await load(Object.fromEntries(keys.map((key) => [key, null])));
    expect(unknownKeys).toEqual(keys.map((key) => ({ file: "config", key })));
  });

  it("are told apart from keys of the file that nothing knows", async () => {
    const text = "[model_providers.x]\nauth = {}";
    const { unknownKeys, user } = await load({ "model_providers.x.aws": {} }, text);
    expect(unknownKeys).toEqual([
      { file: user.file, key: "model_providers.x.auth" },
      { file: "config", key: "model_providers.x.aws" },
    ]);
  });

  it.each<[string, Overrides, string]>([
    ["a wrong mode", { sandbox_mode: "workspaceWrite" }, "config.sandbox_mode"],
    ["a mode that is null", { sandbox_mode: null }, "config.sandbox_mode"],
    ["a default that is null", { default_permissions: null }, "config.default_permissions"],
    ["a policy that is null", { approval_policy: null }, "config.approval_policy"],
    ["roots that are null", { "sandbox_workspace_write.writable_roots": null }, "writable_roots"],
    ["a switch that is null", { "sandbox_workspace_write.network_access": null }, "network_access"],
    [
      "a workspace that is null",
      { sandbox_workspace_write: null },
      "config.sandbox_workspace_write",
    ],
    ["profiles that are null", { permissions: null }, "config.permissions"],
    ["profiles that are a list", { permissions: [] }, "config.permissions"],
    ["on-failure", { approval_policy: "on-failure" }, "config.approval_policy"],
    ["a profile with a wrong key", { "permissions.x.filesytem": {} }, "config.permissions.x"],
    ["a built-in name", { "permissions.:workspace": {} }, '":workspace" in "config"'],
    ["settings of which one is selected", { profile: "fast" }, "config.profile"],
    ["a workspace with a wrong key", { "sandbox_workspace_write.deny": [] }, "unknown key"],
  ])("are refused with %s, by their own name", async (_, overrides, message) => {
    await expect(load(overrides)).rejects.toThrow(message);
  });

  it.each<[string, Overrides]>([
    ["a path with a dot", { "permissions.x.filesystem./data/a.b": "deny" }],
    ["a path without one", { "permissions.x.filesystem./data": "deny" }],
    ["an empty part", { "permissions..x": {} }],
    ["an empty end", { "permissions.": {} }],
    ["quotes", { 'permissions."x".extends': ":workspace" }],
  ])("are refused with %s between dots: it would be cut", async (_, overrides) => {
    await expect(load(overrides)).rejects.toThrow(/no bare name, expected tables inside/);
  });

  it.each<[string, Overrides]>([
    [
      "a value",
      { "permissions.x.extends": ":workspace", permissions: { x: { extends: ":read-only" } } },
    ],
    ["a table and a value", { "permissions.x": 1, "permissions.x.extends": ":workspace" }],
    ["a value and a table", { "permissions.x.extends": ":workspace", permissions: { x: 1 } }],
  ])("are refused where they say %s twice", async (_, overrides) => {
    await expect(load(overrides)).rejects.toThrow(
      /config\.permissions\.x(\.extends)?": it is said twice/,
    );
  });

  it("do not mend a file that is broken", async () => {
    await expect(load({ sandbox_mode: "read-only" }, 'sandbox_mode = "no"')).rejects.toThrow(
      /config\.toml: sandbox_mode/,
    );
  });

  it("must not define a profile of the project's", async () => {
    const files = { "project/writ.toml": '[permissions.x]\nextends = ":read-only"' };
    await expect(loadFrom(files, { "permissions.x.extends": ":workspace" })).rejects.toThrow(
      /"config" defines it too/,
    );
  });

  it("reach no prototype", async () => {
    const hostile = JSON.parse(`{
      "__proto__": {"sandbox_mode": "danger-full-access"},
      "__proto__.polluted": true,
      "constructor.prototype.polluted": true,
      "model_providers.__proto__.name": "a",
      "model_providers.constructor.name": "b",
      "model": "m"
    }`);
    const { settings, unknownKeys } = await load(hostile);
    expect(settings.sandboxMode).toBeUndefined();
    expect(settings.modelProviders.get("__proto__")?.name).toBe("a");
    expect(settings.modelProviders.get("constructor")?.name).toBe("b");
    expect(unknownKeys.map(({ key }) => key)).toEqual([
      "__proto__",
      "__proto__.polluted",
      "constructor.prototype.polluted",
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect("polluted" in {}).toBe(false);
  });

  it("are refused with a prototype inside a profile", async () => {
    const hostile = JSON.parse('{"permissions": {"x": {"__proto__": {"extends": ":workspace"}}}}');
    await expect(load(hostile)).rejects.toThrow(/__proto__/);
  });
});
