import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { USERS } from "../../support/sandbox-user.ts";
import { WAYS } from "../support/app-lab.ts";
import { caseApp, ran } from "../support/case-app.ts";
import { FULL_ACCESS, WORKSPACE_WRITE } from "../support/policies.ts";

const CASES = USERS.flatMap((user) => WAYS.map((over) => ({ user, over })));
const host = createServer((socket) => socket.end());
const connect = () => {
  const address = host.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${address.port}'`;
};
const temporary = mkdtempSync("/var/tmp/writ-cases-");
chmodSync(temporary, 0o777);
beforeAll(() => new Promise<void>((done) => void host.listen(0, "127.0.0.1", done)));
afterAll(() => {
  host.close();
  rmSync(temporary, { recursive: true, force: true });
});

describe.each(CASES)("commands of $user over $over", ({ user, over }) => {
  const app = caseApp({ over, user, env: { TMPDIR: temporary } });

  /** What a thread of its own may do, in one command. */
  const tried = async (params: object, turn: object = {}) => {
    const { client, place } = app();
    const { workspace, outside } = place;
    const folder = path.join(workspace, "git");
    mkdirSync(path.join(folder, ".git"), { recursive: true });
    writeFileSync(path.join(outside, "seen"), "seen\n");
    place.give();
    const started = await client.ok("thread/start", { cwd: folder, ...params });
    const inTmp = `/tmp/writ-cases-${process.pid}-${user}-${over}`;
    const attempts = {
      read: `cat ${outside}/seen`,
      inside: `touch ${folder}/inside`,
      protected: `touch ${folder}/.git/config`,
      outside: `touch ${outside}/outside`,
      tmp: `touch ${inTmp} && rm ${inTmp}`,
      tmpdir: 'touch "$TMPDIR/x" && rm "$TMPDIR/x"',
      network: connect(),
    };
    const script = Object.entries(attempts).map(([name, line]) => `(${line}) && echo may-${name};`);
    const { output } = await ran(client, started.thread.id, `${script.join(" ")} true`, turn);
    // What goes to the other stream may stand before it in its line.
    return Object.keys(attempts).filter((name) => new RegExp(`may-${name}\r?\n`).test(output));
  };

  it("B01 read and nothing else under read-only", async () => {
    expect(await tried({ sandbox: "read-only" })).toEqual(["read"]);
  });

  it("B02 write in the workspace and for the time being under workspace-write", async () => {
    const may = await tried({ sandbox: "workspace-write" });
    expect(may).toEqual(["read", "inside", "tmp", "tmpdir"]);
  });

  it("B03 do everything under danger-full-access", async () => {
    const may = await tried({ sandbox: "danger-full-access" });
    expect(may).toEqual(["read", "inside", "protected", "outside", "tmp", "tmpdir", "network"]);
  });

  it.each<[string, object, string[]]>([
    ["roots", { writableRoots: [] }, ["read", "inside", "tmp", "tmpdir"]],
    ["network", { networkAccess: true }, ["read", "inside", "tmp", "tmpdir", "network"]],
    ["excludeSlashTmp", { excludeSlashTmp: true }, ["read", "inside", "tmpdir"]],
    ["excludeTmpdirEnvVar", { excludeTmpdirEnvVar: true }, ["read", "inside", "tmp"]],
    ["both", { excludeSlashTmp: true, excludeTmpdirEnvVar: true }, ["read", "inside"]],
  ])("C02 are held to %s of a policy, at the start and in a turn", async (_, members, may) => {
    const sandboxPolicy = { type: "workspaceWrite", ...members };
    expect(await tried({ sandboxPolicy })).toEqual(may);
    expect(await tried({ sandbox: "read-only" }, { sandboxPolicy })).toEqual(may);
  });

  it("C02 write in the roots of a policy, at the start and in a turn", async () => {
    const sandboxPolicy = { ...WORKSPACE_WRITE, writableRoots: [app().place.outside] };
    const may = ["read", "inside", "outside", "tmp", "tmpdir"];
    expect(await tried({ sandboxPolicy })).toEqual(may);
    expect(await tried({ sandbox: "read-only" }, { sandboxPolicy })).toEqual(may);
  });

  it("C02 read only what restricted reads name", async () => {
    const { workspace } = app().place;
    const access = { type: "restricted", readableRoots: [workspace] };
    expect(await tried({ sandboxPolicy: { type: "readOnly", access } })).toEqual([]);
  });

  it("C15 lose roots that were given earlier when a policy names none", async () => {
    const { client, place } = app();
    const { workspace: cwd, outside } = place;
    const runtimeWorkspaceRoots = [cwd, outside];
    const named = { permissions: ":workspace", runtimeWorkspaceRoots };
    const { thread } = await client.ok("thread/start", { cwd, ...named });
    await ran(client, thread.id, `touch ${outside}/c15-before`);
    const from = client.notes.length;
    const after = await ran(client, thread.id, `touch ${outside}/c15-after`, {
      sandboxPolicy: { type: "workspaceWrite" },
    });
    expect(existsSync(`${outside}/c15-before`)).toBe(true);
    expect(existsSync(`${outside}/c15-after`)).toBe(false);
    expect(after.exitCode).not.toBe(0);
    const { params } = await client.note("thread/settings/updated", () => true, from);
    expect(params.threadSettings.sandboxPolicy).toEqual(WORKSPACE_WRITE);
  });

  it.each<[string, object]>([
    ["workspaceWrite", { type: "workspaceWrite", networkAccess: true }],
    ["readOnly", { type: "readOnly" }],
    ["dangerFullAccess", FULL_ACCESS],
  ])("N14 are denied what was denied before the override %s", async (name, sandboxPolicy) => {
    const { client, place } = app();
    const { workspace: cwd, outside } = place;
    const secret = path.join(outside, `secret-${name}`);
    writeFileSync(secret, "hidden-words");
    place.give();
    const adhoc = { extends: ":workspace", filesystem: { [secret]: "deny" } };
    const { thread } = await client.ok("thread/start", {
      ...{ cwd, permissions: "adhoc", config: { permissions: { adhoc } } },
    });
    const from = client.notes.length;
    const said = await ran(client, thread.id, `cat ${secret}; touch ${outside}/${name}; true`, {
      sandboxPolicy,
    });
    expect(said.output).not.toContain("hidden-words");
    expect(existsSync(`${outside}/${name}`)).toBe(name === "dangerFullAccess");
    const { params } = await client.note("thread/settings/updated", () => true, from);
    expect(params.threadSettings.writ.projection.lossy).toBe(true);
    expect(JSON.stringify(params.threadSettings.writ.permissionProfile)).toContain(secret);
    // A name says all of it, so it replaces all of it.
    const named = await ran(client, thread.id, `cat ${secret}`, { permissions: ":workspace" });
    expect(named.output).toContain("hidden-words");
  });

  // Another user's command that may write to / ends them (docs/security.md), and root's tests run beside this one.
  it("N14 leave what others read as it is, while two of them may write nearly everywhere", {
    retry: 2,
  }, async () => {
    const { client, place } = app();
    const { workspace: cwd, outside } = place;
    const adhoc = { extends: ":workspace", filesystem: { [`${outside}/none`]: "deny" } };
    const named = { permissions: "adhoc", config: { permissions: { adhoc } } };
    const turns = ["one", "two"].map(async (name) => {
      const { thread } = await client.ok("thread/start", { cwd, ...named });
      const script = `touch ${outside}/${name}; while [ ! -e ${outside}/go ]; do sleep 0.02; done`;
      return ran(client, thread.id, script, { sandboxPolicy: FULL_ACCESS });
    });
    const begun = () => ["one", "two"].map((name) => existsSync(path.join(outside, name)));
    await vi.waitFor(() => expect(begun()).toEqual([true, true]), { timeout: 30_000 });
    const meanwhile = await client.call("thread/start", { cwd, sandbox: "read-only" });
    writeFileSync(path.join(outside, "go"), "");
    const ended = await Promise.all(turns);
    expect(ended).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    expect(meanwhile.error).toBeUndefined();
  });
});
