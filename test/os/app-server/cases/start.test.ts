import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  policyForMode,
  profileDigest,
  profileOfPolicy,
  readCamelPolicy,
  type SandboxMode,
} from "../../../../src/policy/index.ts";
import type { Place } from "../../support/sandbox-user.ts";
import { WAYS } from "../support/app-lab.ts";
import { caseApp, ran, refusedThread } from "../support/case-app.ts";
import {
  FULL_ACCESS,
  MALFORMED_POLICIES,
  READ_ONLY,
  WORKSPACE_WRITE,
} from "../support/policies.ts";
import { roomIn, standingApp } from "../support/standing-app.ts";

const settings = ({ outside }: Place) => `
[permissions.dev]
extends = ":workspace"
description = "With network"
[permissions.dev.network]
enabled = true
[permissions.dev.filesystem]
"${outside}" = "write"
`;

describe.each(WAYS)("a thread that begins over %s", (over) => {
  const app = caseApp({ over, settings });
  const start = (params: object) => {
    const { client, place } = app();
    return client.ok("thread/start", { cwd: place.workspace, ...params });
  };
  const refused = (params: object) => {
    const { client, place } = app();
    return refusedThread(client, { cwd: place.workspace, ...params });
  };

  it.each<[string, SandboxMode, object]>([
    ["A01", "workspace-write", WORKSPACE_WRITE],
    ["A02", "read-only", READ_ONLY],
    ["A03", "danger-full-access", FULL_ACCESS],
  ])("%s shows the mode %s as it is, without a name", async (_, sandbox, echo) => {
    const started = await start({ sandbox });
    expect(started).toMatchObject({ sandbox: echo, activePermissionProfile: null });
    expect(started.sandbox).toEqual(echo);
    expect(started.writ).toMatchObject({
      profileDigest: profileDigest(profileOfPolicy(policyForMode(sandbox))),
      boundDigest: expect.stringMatching(/./),
      projection: { lossy: false, lost: [] },
      profile: null,
    });
  });

  it.each(["workspaceWrite", "readOnly", "workspace_write", "", "auto"])(
    "A04 refuses the mode %j",
    async (sandbox) => {
      const { code, message } = await refused({ sandbox });
      expect([code, message]).toEqual([-32600, expect.stringMatching(/^Invalid request: /)]);
    },
  );

  it.each([":workspace", ":read-only", ":danger-full-access"])(
    "A05 reports the built-in profile %s",
    async (permissions) => {
      const started = await start({ permissions });
      const named = { id: permissions, extends: null };
      expect(started.activePermissionProfile).toEqual(named);
      expect(started.writ.profile).toEqual({ ...named, state: "current" });
    },
  );

  it("A06 reports what a profile of the user extends, its network and its folders", async () => {
    const started = await start({ permissions: "dev" });
    const named = { id: "dev", extends: ":workspace" };
    expect(started.activePermissionProfile).toEqual(named);
    expect(started.writ.profile).toEqual({ ...named, state: "current" });
    const { outside } = app().place;
    const echo = { ...WORKSPACE_WRITE, networkAccess: true, writableRoots: [outside] };
    expect(started.sandbox).toEqual(echo);
  });

  it.each([
    ["sandbox", "read-only"],
    ["sandboxPolicy", { type: "readOnly" }],
  ])("A07 refuses a name beside `%s`, and takes null for nothing", async (member, value) => {
    const both = await refused({ permissions: ":read-only", [member]: value });
    expect(both).toEqual({
      code: -32600,
      message: `\`permissions\` cannot be combined with \`${member}\``,
    });
    await start({ permissions: ":read-only", [member]: null });
    await start({ permissions: null, [member]: value });
  });

  it.each([
    ["A08", "nobody"],
    ["A09", ":nobody"],
    ["A08", ""],
    ["A08", "__proto__"],
  ])("%s refuses the profile %j, which there is not", async (_, permissions) => {
    const { code, message } = await refused({ permissions });
    expect([code, message]).toEqual([
      -32600,
      expect.stringMatching(/^invalid sandbox policy: .*profile/),
    ]);
  });

  it.each(["thread/start", "thread/resume", "thread/fork", "turn/start"])(
    "A10 C14 refuses the key of %s that once took profiles, even where it is null",
    async (method) => {
      const threadId = (await start({})).thread.id;
      const params = method === "thread/start" ? {} : { threadId, input: [] };
      for (const permissionProfile of [null, {}, { type: "disabled" }]) {
        const error = await refusedThread(app().client, { ...params, permissionProfile }, method);
        expect(error).toEqual({
          code: -32602,
          message: `\`permissionProfile\` is no longer supported for \`${method}\`; use \`permissions\` with a named profile id instead`,
        });
      }
    },
  );

  it("A11 is read-only where nobody has chosen anything", async () => {
    const started = await start({});
    expect(started).toMatchObject({
      sandbox: READ_ONLY,
      activePermissionProfile: { id: ":read-only", extends: null },
    });
  });

  it.each<[string, object, object]>([
    ["`config.default_permissions`", { config: { default_permissions: "dev" } }, { id: "dev" }],
    [
      "`permissions` before `config.sandbox_mode`",
      { permissions: ":read-only", config: { sandbox_mode: "danger-full-access" } },
      { id: ":read-only" },
    ],
  ])("A11 follows %s", async (_, params, named) => {
    expect(await start(params)).toMatchObject({ activePermissionProfile: named });
  });

  it.each<[string, object, object]>([
    ["`config.sandbox_mode`", { config: { sandbox_mode: "workspace-write" } }, WORKSPACE_WRITE],
    [
      "`sandbox` before `config.default_permissions`",
      { sandbox: "read-only", config: { default_permissions: "dev" } },
      READ_ONLY,
    ],
    [
      "`sandboxPolicy` before `config.default_permissions`",
      { sandboxPolicy: { type: "readOnly" }, config: { default_permissions: "dev" } },
      READ_ONLY,
    ],
    [
      "`[sandbox_workspace_write]` of the request with the mode",
      { sandbox: "workspace-write", config: { "sandbox_workspace_write.network_access": true } },
      { ...WORKSPACE_WRITE, networkAccess: true },
    ],
  ])("A11 follows %s", async (_, params, echo) => {
    const started = await start(params);
    expect([started.sandbox, started.activePermissionProfile]).toEqual([echo, null]);
  });

  it("A12 is held to a profile that came with the request, denies included", async () => {
    const { client, place } = app();
    const { workspace, outside } = place;
    const secret = path.join(workspace, "secret");
    const adhoc = {
      extends: ":workspace",
      filesystem: { [outside]: "write", [secret]: "deny" },
      network: { enabled: true },
    };
    const config = { permissions: { adhoc } };
    const started = await start({ permissions: "adhoc", config });
    expect(started).toMatchObject({
      activePermissionProfile: { id: "adhoc", extends: ":workspace" },
      writ: { projection: { lossy: true } },
    });
    const said = await ran(
      client,
      started.thread.id,
      `touch ${outside}/a12; touch ${secret}/x; cat ${secret}/x; true`,
    );
    expect(existsSync(`${outside}/a12`)).toBe(true);
    expect(existsSync(`${secret}/x`)).toBe(false);
    expect(said.exitCode).toBe(0);
  });

  it("A13 writes in every root that :workspace was given, and shows them", async () => {
    const { client, place } = app();
    const { workspace, outside } = place;
    const runtimeWorkspaceRoots = [workspace, outside];
    const started = await start({ permissions: ":workspace", runtimeWorkspaceRoots });
    expect(started).toMatchObject({
      runtimeWorkspaceRoots,
      sandbox: { ...WORKSPACE_WRITE, writableRoots: [outside] },
    });
    await ran(client, started.thread.id, `touch ${outside}/a13`);
    expect(existsSync(`${outside}/a13`)).toBe(true);
  });

  it("A14 refuses a relative root", async () => {
    const { code, message } = await refused({
      permissions: ":workspace",
      runtimeWorkspaceRoots: ["a"],
    });
    expect([code, message]).toEqual([
      -32600,
      expect.stringContaining("AbsolutePathBuf deserialized without a base path"),
    ]);
  });

  it.each(["on-failure", "always", "", { granular: {} }, { granular: { rules: "no" } }])(
    "A15 refuses to ask %j",
    async (approvalPolicy) => {
      expect((await refused({ approvalPolicy })).code).toBe(-32600);
    },
  );

  it.each<[string, object, object]>([
    ["readOnly", { type: "readOnly" }, READ_ONLY],
    [
      "readOnly with network",
      { type: "readOnly", networkAccess: true },
      { ...READ_ONLY, networkAccess: true },
    ],
    ["dangerFullAccess", FULL_ACCESS, FULL_ACCESS],
    ["workspaceWrite", { type: "workspaceWrite" }, WORKSPACE_WRITE],
    [
      "workspaceWrite with all members",
      { ...WORKSPACE_WRITE, networkAccess: true, excludeTmpdirEnvVar: true, excludeSlashTmp: true },
      { ...WORKSPACE_WRITE, networkAccess: true, excludeTmpdirEnvVar: true, excludeSlashTmp: true },
    ],
    [
      "readOnly with restricted reads",
      { type: "readOnly", access: { type: "restricted", readableRoots: ["/etc"] } },
      {
        ...READ_ONLY,
        access: { type: "restricted", includePlatformDefaults: true, readableRoots: ["/etc"] },
      },
    ],
  ])("A16 begins under the full policy %s, whatever the mode", async (_, sandboxPolicy, echo) => {
    const started = await start({ sandbox: "danger-full-access", sandboxPolicy });
    expect([started.sandbox, started.activePermissionProfile]).toEqual([echo, null]);
    const digest = profileDigest(profileOfPolicy(readCamelPolicy(sandboxPolicy)));
    expect(started.writ).toMatchObject({
      profileDigest: digest,
      projection: { lossy: false },
      profile: null,
    });
  });

  it.each(MALFORMED_POLICIES)("A17 refuses a policy that is %s", async (_, sandboxPolicy) => {
    for (const more of [{}, { sandbox: "read-only" }]) {
      const { code, message } = await refused({ sandboxPolicy, ...more });
      expect([code, message]).toEqual([
        -32600,
        expect.stringMatching(/^invalid sandbox policy: .+/),
      ]);
    }
  });

  it("A17 begins no thread for a message that says the policy twice", async () => {
    const { client } = app();
    const { data } = await client.ok("thread/loaded/list", {});
    client.raw(
      `{"id":"twice","method":"thread/start","params":{"sandboxPolicy":{"type":"readOnly"},"sandboxPolicy":{"type":"dangerFullAccess"}}}`,
    );
    expect((await client.ok("thread/loaded/list", {})).data).toEqual(data);
  });

  it("A16 begins no thread under a policy that is allowed and cannot be had", async () => {
    const error = await refused({ cwd: "/", sandboxPolicy: { type: "workspaceWrite" } });
    expect(error).toEqual({
      code: -32603,
      message: expect.stringMatching(/^error applying sandbox policy: .+/),
    });
  });
});

describe("a server that anybody may ask", () => {
  const app = standingApp({ over: "ws", token: null });

  it.each<object>([
    { sandboxPolicy: { type: "readOnly", networkAccess: true } },
    { sandboxPolicy: { type: "workspaceWrite", networkAccess: true } },
    { sandbox: "workspace-write", config: { "sandbox_workspace_write.network_access": true } },
  ])("begins no thread whose commands could ask it too: %j", async (params) => {
    const { client } = await app();
    const { code, message } = await refusedThread(client, params);
    expect([code, message]).toEqual([
      -32600,
      expect.stringMatching(/^invalid sandbox policy: Cannot open the network/),
    ]);
  });
});

describe.each(WAYS)("a thread that names nothing over %s", (over) => {
  const app = standingApp({ over, settings: () => `default_permissions = ":workspace"` });
  const anybodys = standingApp({ over, settings: () => "", token: null });

  it.each<[string, object]>([
    [`default_permissions = ":workspace"`, { activePermissionProfile: { id: ":workspace" } }],
    [`sandbox_mode = "workspace-write"`, { sandbox: WORKSPACE_WRITE }],
    [
      `sandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nnetwork_access = true`,
      { sandbox: { ...WORKSPACE_WRITE, networkAccess: true }, activePermissionProfile: null },
    ],
  ])("A11 gets what the user's file says: %j", async (config, shown) => {
    const { client, lab, place } = await app();
    lab.configure(config);
    const { workspace: cwd } = roomIn(place);
    expect(await client.ok("thread/start", { cwd })).toMatchObject(shown);
  });

  it.each([`default_permissions = "gone"`, `sandbox_mode = "everything"`, "sandbox_mode = "])(
    "A11 is refused where the user's file cannot be meant: %j",
    async (broken) => {
      const { client, lab, place } = await anybodys();
      lab.configure(broken);
      const { workspace: cwd } = roomIn(place);
      const { code } = await refusedThread(client, { cwd });
      expect(code).toBe(-32600);
    },
  );
});
