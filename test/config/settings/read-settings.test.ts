import { describe, expect, it } from "vitest";
import { loadFrom } from "../support/load-from.ts";

const NO_SKILLS = { roots: [], disabled: [], trustedProjects: [] };

async function settings(text: string) {
  return (await loadFrom({ "home/config.toml": text })).settings;
}

describe("readSettings", () => {
  it("says nothing where the file says nothing", async () => {
    expect(await settings("")).toEqual({
      modelProviders: new Map(),
      workspaceWrite: {
        writableRoots: [],
        networkAccess: false,
        excludeTmpdirEnvVar: false,
        excludeSlashTmp: false,
      },
      skills: NO_SKILLS,
    });
  });

  it("reads a file of Codex under its own names", async () => {
    const text = `
      model = "m-1"
      model_provider = "own"
      model_reasoning_effort = "high"
      approval_policy = "on-request"
      approvals_reviewer = "user"
      sandbox_mode = "workspace-write"
      instructions = "Be brief."
      developer_instructions = "Use tabs."
      [sandbox_workspace_write]
      writable_roots = ["/srv/cache/", "/srv/./out"]
      network_access = true
      exclude_tmpdir_env_var = true
      exclude_slash_tmp = true
      [model_providers.own]
      name = "Our own"
      base_url = "https://models.example.com/v1"
      env_key = "OWN_KEY"
      wire_api = "chat"
      query_params = { api-version = "2" }
      http_headers = { X-Team = "blue" }
      env_http_headers = { X-Token = "TEAM_TOKEN" }
      request_max_retries = 4`;
    const { settings: read, unknownKeys } = await loadFrom({ "home/config.toml": text });
    expect(read).toEqual({
      model: "m-1",
      modelProvider: "own",
      reasoningEffort: "high",
      approvalPolicy: "on-request",
      approvalsReviewer: "user",
      sandboxMode: "workspace-write",
      instructions: "Be brief.",
      developerInstructions: "Use tabs.",
      workspaceWrite: {
        writableRoots: ["/srv/cache", "/srv/out"],
        networkAccess: true,
        excludeTmpdirEnvVar: true,
        excludeSlashTmp: true,
      },
      skills: NO_SKILLS,
      modelProviders: new Map([
        [
          "own",
          {
            name: "Our own",
            baseUrl: "https://models.example.com/v1",
            envKey: "OWN_KEY",
            wireApi: "chat",
            queryParams: { "api-version": "2" },
            httpHeaders: { "X-Team": "blue" },
            envHttpHeaders: { "X-Token": "TEAM_TOKEN" },
          },
        ],
      ]),
    });
    expect(unknownKeys.map(({ key }) => key)).toEqual(["model_providers.own.request_max_retries"]);
  });

  it("takes the responses protocol where a provider names none", async () => {
    const { modelProviders } = await settings("[model_providers.own]");
    expect(modelProviders.get("own")).toEqual({
      wireApi: "responses",
      queryParams: {},
      httpHeaders: {},
      envHttpHeaders: {},
    });
  });

  it("reads a table of what may be asked about", async () => {
    const text =
      "[approval_policy.granular]\nsandbox_approval = true\nrules = false\nmcp_elicitations = false";
    expect((await settings(text)).approvalPolicy).toEqual({
      granular: {
        sandbox_approval: true,
        rules: false,
        mcp_elicitations: false,
        skill_approval: false,
        request_permissions: false,
      },
    });
  });

  it.each([
    ["a model that is no text", "model = 1", "model"],
    ["an empty model", 'model = ""', "model"],
    ["a provider that is no name", "model_provider = []", "model_provider"],
    ["providers that are no table", "model_providers = 1", "model_providers"],
    ["an effort that is no word", "model_reasoning_effort = 3", "model_reasoning_effort"],
    ["instructions that are no text", "instructions = true", "instructions"],
    ["a developer's that are no text", "developer_instructions = 1", "developer_instructions"],
    ["an unknown policy", 'approval_policy = "always"', "approval_policy"],
    ["a policy that is a number", "approval_policy = 1", "approval_policy"],
    ["an empty table for a policy", "approval_policy = {}", "approval_policy.granular"],
    ["a date for a policy", "approval_policy = 2026-01-01", "approval_policy"],
    ["an unknown reviewer", 'approvals_reviewer = "me"', "approvals_reviewer"],
    ["an unknown mode", 'sandbox_mode = "workspaceWrite"', "sandbox_mode"],
    ["an empty mode", 'sandbox_mode = ""', "sandbox_mode"],
    ["a mode that is a list", 'sandbox_mode = ["read-only"]', "sandbox_mode"],
  ])("refuses %s", async (_, text, key) => {
    await expect(settings(text)).rejects.toMatchObject({
      code: "malformed",
      message: expect.stringContaining(`config.toml: ${key}": `),
    });
  });

  it("A15 refuses on-failure, with what to say instead", async () => {
    await expect(settings('approval_policy = "on-failure"')).rejects.toThrow(
      /retries without the sandbox.*expected "on-request" or "never"/,
    );
  });

  it.each([
    ["a part that is missing", "sandbox_approval = true\nrules = true", /mcp_elicitations/],
    [
      "a part it does not know",
      "sandbox_approval = true\nrules = true\nmcp_elicitations = true\nnetwork = false",
      /unknown key "network"/,
    ],
    [
      "a part that is no switch",
      'sandbox_approval = "no"\nrules = true\nmcp_elicitations = true',
      /sandbox_approval/,
    ],
  ])("refuses a table of what may be asked about with %s", async (_, text, message) => {
    await expect(settings(`[approval_policy.granular]\n${text}`)).rejects.toThrow(message);
  });

  it("refuses a word beside what may be asked about", async () => {
    const text = `approval_policy = { granular = {}, never = true }`;
    await expect(settings(text)).rejects.toThrow(/unknown key "never"/);
  });

  it.each([
    ["a key it does not know", "deny_roots = []", /unknown key "deny_roots"/],
    ["roots that are no list", 'writable_roots = "/srv"', /writable_roots/],
    ["a root that is no text", "writable_roots = [1]", /writable_roots/],
    ["a relative root", 'writable_roots = ["srv"]', /"srv" is no absolute path/],
    ["a root in somebody's home", 'writable_roots = ["~/out"]', /"~\/out" is no absolute path/],
    ["a root that turns back", 'writable_roots = ["/a/link/../b"]', /has "\.\."/],
    ["a root with NUL", 'writable_roots = ["/a\\u0000"]', /no absolute path/],
    ["a network that is no switch", 'network_access = "enabled"', /network_access/],
    ["a switch that is a number", "exclude_slash_tmp = 1", /exclude_slash_tmp/],
    ["another switch that is none", "exclude_tmpdir_env_var = []", /exclude_tmpdir_env_var/],
  ])("refuses a workspace with %s", async (_, text, message) => {
    await expect(settings(`[sandbox_workspace_write]\n${text}`)).rejects.toThrow(message);
  });

  it.each([
    ["an unknown protocol", 'wire_api = "messages"', /wire_api/],
    ["a URL of a file", 'base_url = "file:///a"', /base_url/],
    ["a URL with a password", 'base_url = "https://u:p@a"', /base_url/],
    ["a name that is no text", "name = 1", /name/],
    ["a key in the clear", 'base_url = "http://a.example.com"\nenv_key = "K"', /in the clear/],
    [
      "a header of a variable in the clear",
      'base_url = "http://a.example.com"\nenv_http_headers = { X = "K" }',
      /in the clear/,
    ],
    ["a variable that is none", 'env_key = "A=B"', /no name of a variable/],
    ["headers that are no table", "http_headers = []", /http_headers/],
    ["a header in two lines", 'http_headers = { A = "b\\r\\nC: d" }', /http_headers\.A/],
    ["a header with no name", 'http_headers = { "A B" = "c" }', /no name of a header/],
    ["a parameter that is no text", "query_params = { a = 1 }", /query_params\.a/],
  ])("refuses a provider with %s", async (_, text, message) => {
    await expect(settings(`[model_providers.x]\n${text}`)).rejects.toThrow(message);
  });

  it("lets a key travel on this machine without TLS", async () => {
    const text = '[model_providers.x]\nbase_url = "http://localhost:11434/v1"\nenv_key = "K"';
    await expect(settings(text)).resolves.toBeDefined();
  });
});
