import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, USERS } from "../../support/sandbox-user.ts";
import { AppLab, WAYS } from "../support/app-lab.ts";
import { caseApp } from "../support/case-app.ts";
import { FULL_ACCESS, MALFORMED_POLICIES, READ_ONLY } from "../support/policies.ts";

const CASES = USERS.flatMap((user) => WAYS.map((over) => ({ user, over })));
const sh = (script: string) => ["/bin/sh", "-c", script];
const settings = ({ workspace, outside }: Place) => `
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem]
"${outside}/open" = "write"
"${workspace}/hidden" = "deny"
`;

describe.each(WAYS)("command/exec over %s", (over) => {
  const app = caseApp({ over, settings });
  const exec = (script: string, members: object = {}) =>
    app().client.ok("command/exec", { command: sh(script), ...members });

  it.each<[string, object, [boolean, boolean]]>([
    ["nothing, which is read-only", {}, [false, false]],
    ["readOnly", { sandboxPolicy: READ_ONLY }, [false, false]],
    ["workspaceWrite", { sandboxPolicy: { type: "workspaceWrite" } }, [true, false]],
    ["dangerFullAccess", { sandboxPolicy: FULL_ACCESS }, [true, true]],
    [":read-only", { permissionProfile: ":read-only" }, [false, false]],
    [":workspace", { permissionProfile: ":workspace" }, [true, false]],
    [":danger-full-access", { permissionProfile: ":danger-full-access" }, [true, true]],
  ])("E01 E02 is held to %s", async (name, members, wrote) => {
    const { workspace, outside } = app().place;
    const files = [workspace, outside].map((folder) => path.join(folder, `e01${name}`));
    const { exitCode } = await exec(files.map((file) => `: > '${file}'`).join("; "), members);
    expect(files.map((file) => existsSync(file))).toEqual(wrote);
    expect(exitCode === 0).toBe(wrote[1]);
  });

  it("E02 is held to a profile of the user, denies included", async () => {
    const { workspace, outside } = app().place;
    for (const folder of [`${outside}/open`, `${workspace}/hidden`]) mkdirSync(folder);
    await exec(`touch ${outside}/open/e02 ${workspace}/hidden/e02`, { permissionProfile: "dev" });
    const files = [`${outside}/open/e02`, `${workspace}/hidden/e02`];
    expect(files.map((file) => existsSync(file))).toEqual([true, false]);
  });

  it("E03 refuses a policy beside a profile", async () => {
    const both = { sandboxPolicy: READ_ONLY, permissionProfile: ":read-only" };
    const error = await app().client.refused("command/exec", { command: sh("true"), ...both });
    expect(error).toEqual({
      code: -32600,
      message: "`permissionProfile` cannot be combined with `sandboxPolicy`",
    });
  });

  it.each(["nobody", ":nobody", ""])("E03 refuses the profile %j", async (permissionProfile) => {
    const params = { command: sh("true"), permissionProfile };
    expect(await app().client.refused("command/exec", params)).toEqual({
      code: -32600,
      message: expect.stringMatching(/^invalid permission profile: .+/),
    });
  });

  it.each(MALFORMED_POLICIES)("E01 runs nothing where %s", async (name, sandboxPolicy) => {
    const { client, place } = app();
    const file = path.join(place.workspace, `e01-${name.length}`);
    const params = { command: sh(`: > ${file}`), sandboxPolicy };
    expect(await client.refused("command/exec", params)).toEqual({
      code: -32600,
      message: expect.stringMatching(/^invalid sandbox policy: .+/),
    });
    expect(existsSync(file)).toBe(false);
  });

  it("E01 runs nothing under a policy that cannot be had", async () => {
    const policy = { cwd: "/", sandboxPolicy: { type: "workspaceWrite" } };
    const params = { command: sh("true"), ...policy };
    expect(await app().client.refused("command/exec", params)).toEqual({
      code: -32603,
      message: expect.stringMatching(/^error applying sandbox policy: .+/),
    });
  });

  it.each([0, 50])("E04 ends with 124 after %i ms", async (timeoutMs) => {
    expect(await exec("exec sleep 60", { timeoutMs })).toMatchObject({ exitCode: 124 });
  });

  it("E05 refuses to run nothing", async () => {
    expect(await app().client.refused("command/exec", { command: [] })).toEqual({
      code: -32600,
      message: "command must not be empty",
    });
  });

  it.each<[boolean, string]>([
    [false, "1"],
    [true, ""],
  ])("E06 tells the command whether it has network: %j", async (networkAccess, marker) => {
    const sandboxPolicy = { type: "readOnly", networkAccess };
    const { stdout } = await exec('printf %s "$CODEX_SANDBOX_NETWORK_DISABLED"', { sandboxPolicy });
    expect(stdout).toBe(marker);
  });
});

describe.each(CASES)("command/exec of $user over $over", ({ user, over }) => {
  const app = caseApp({ over, user });

  it.each<object>([
    { sandboxPolicy: { type: "workspaceWrite" } },
    { permissionProfile: ":workspace" },
  ])(
    "E07 writes in the folder of the request and not in that of the server: %j",
    async (policy) => {
      const { client, place } = app();
      const { workspace, outside } = place;
      const name = Object.keys(policy)[0];
      const files = [`${outside}/e07-${name}`, `${workspace}/e07-${name}`];
      const command = sh(files.map((file) => `: > ${file}`).join("; "));
      const { exitCode } = await client.ok("command/exec", { command, cwd: outside, ...policy });
      expect(files.map((file) => existsSync(file))).toEqual([true, false]);
      expect(exitCode).not.toBe(0);
    },
  );

  it("E07 takes a relative folder from that of the server", async () => {
    const { client, place } = app();
    mkdirSync(path.join(place.workspace, "sub"), { recursive: true });
    place.give();
    const command = sh(`: > e07-in; : > ${place.workspace}/e07-above`);
    const sandboxPolicy = { type: "workspaceWrite" };
    await client.ok("command/exec", { command, cwd: "sub", sandboxPolicy });
    const files = ["sub/e07-in", "e07-above"].map((file) => path.join(place.workspace, file));
    expect(files.map((file) => existsSync(file))).toEqual([true, false]);
  });
});

describe.each(WAYS)("the default of command/exec over %s", (over) => {
  it("E01 follows the user's file, and is refused where that is broken", async () => {
    const lab = new AppLab({ over, config: `sandbox_mode = "workspace-write"` });
    const client = await lab.client();
    const file = path.join(lab.place.workspace, "e01-default");
    const params = { command: sh(`: > ${file}`) };
    expect(await client.ok("command/exec", params)).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(true);
    lab.configure(`default_permissions = "gone"`);
    lab.place.give();
    expect((await client.refused("command/exec", params)).code).toBe(-32600);
  });
});
