/** What users and operators have laid down holds in the app-server as it does everywhere else. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Place } from "../support/sandbox-user.ts";
import { AppLab } from "./support/app-lab.ts";
import { ran } from "./support/case-app.ts";
import { WORKSPACE_WRITE } from "./support/policies.ts";
import { roomIn, standingApp } from "./support/standing-app.ts";

const ALLOWED = 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n';
const EVERY_MODE =
  'allowed_sandbox_modes = ["read-only", "workspace-write", "danger-full-access"]\n';

const ceilingOf = ({ workspace }: Place) => `${workspace}/../ceiling.toml`;

describe("the user's settings", () => {
  it("cannot be written where their file is a link to one in the workspace", async () => {
    const lab = new AppLab({ token: "sesame" });
    const { workspace } = lab.place;
    const settings = `${workspace}/codex.toml`;
    writeFileSync(settings, 'sandbox_mode = "read-only"\n');
    mkdirSync(lab.home, { recursive: true });
    symlinkSync(settings, `${lab.home}/config.toml`);
    const client = await lab.client();
    const asked = { cwd: workspace, sandboxPolicy: WORKSPACE_WRITE };
    const { thread } = await client.ok("thread/start", asked);
    await ran(client, thread.id, `echo 'sandbox_mode = "danger-full-access"' > ${settings}`);
    expect(readFileSync(settings, "utf8")).toBe('sandbox_mode = "read-only"\n');
    expect((await client.ok("thread/start", { cwd: workspace })).sandbox.type).toBe("readOnly");
  });

  it("say which variables commands get", async () => {
    const config = '[environment]\ninherit = "none"\n[environment.set]\nMARK = "set"\n';
    const lab = new AppLab({ token: "sesame", env: { PLAIN: "inherited" }, config });
    const client = await lab.client();
    const { stdout } = await client.ok("command/exec", { command: ["env"] });
    expect(stdout).not.toContain("PLAIN=inherited");
    expect(stdout).toContain("MARK=set");
    const { thread } = await client.ok("thread/start", {});
    expect((await ran(client, thread.id, "env")).output).toContain("MARK=set");
  });
});

describe("a ceiling that is lowered while the server runs", () => {
  const app = standingApp({
    flags: ["--ceiling", "../ceiling.toml"],
    settings: (place) => {
      writeFileSync(ceilingOf(place), EVERY_MODE);
      return "";
    },
  });
  const lowered = async () => {
    const { lab, place } = await app();
    const { workspace, outside } = roomIn(place);
    writeFileSync(ceilingOf(place), EVERY_MODE);
    writeFileSync(`${outside}/f`, "hidden\n");
    const client = await lab.client();
    client.onAsked = () => ({ result: { decision: "accept" } });
    const asked = { cwd: workspace, sandboxPolicy: WORKSPACE_WRITE };
    const { thread } = await client.ok("thread/start", asked);
    const denied = `[permissions.filesystem]\ndeny_read = ["${outside}"]\n`;
    writeFileSync(ceilingOf(place), `${ALLOWED}${denied}`);
    return { client, id: thread.id as string, outside };
  };

  it("lets no command leave the sandbox, whoever approves it", async () => {
    const { client, id, outside } = await lowered();
    await ran(client, id, `escalate touch ${outside}/x`);
    expect(existsSync(`${outside}/x`)).toBe(false);
  });

  it("hides what it denies from threads, commands and files", async () => {
    const { client, id, outside } = await lowered();
    const thread = await ran(client, id, `cat ${outside}/f`);
    const command = await client.call("command/exec", { command: ["cat", `${outside}/f`] });
    const file = await client.call("fs/readFile", { path: `${outside}/f` });
    expect(thread.output).not.toContain("hidden");
    expect(command.result?.stdout ?? "").not.toContain("hidden");
    expect(file.result).toBeUndefined();
  });
});

describe("a list of allowed profiles", () => {
  const app = standingApp({
    flags: ["--ceiling", "../ceiling.toml"],
    settings: (place) => {
      writeFileSync(
        ceilingOf(place),
        'default_permissions = "approved"\n[allowed_permission_profiles]\napproved = true\n',
      );
      return '[permissions.base]\nextends = ":read-only"\n[permissions.approved]\nextends = "base"\n';
    },
  });

  it.each([
    ["the profile", (outside: string) => ({ approved: { filesystem: { [outside]: "write" } } })],
    [
      "what the profile extends",
      (outside: string) => ({
        base: { extends: ":workspace", filesystem: { [outside]: "write" } },
      }),
    ],
  ])("does not count for a request that redefines %s", async (_, permissions) => {
    const { client, place } = await app();
    const { outside } = roomIn(place);
    const asked = { permissions: "approved", config: { permissions: permissions(outside) } };
    const { result } = await client.call("thread/start", asked);
    if (result !== undefined) await ran(client, result.thread.id, `touch ${outside}/x`);
    expect(existsSync(`${outside}/x`)).toBe(false);
  });
});

describe("a question about typing into a process", () => {
  it("shows what would be typed", async () => {
    const lab = new AppLab({ token: "sesame" });
    const client = await lab.client();
    const { thread } = await client.ok("thread/start", { sandboxPolicy: WORKSPACE_WRITE });
    const { items } = await client.turn(thread.id, "background cat");
    const session = items.find(({ type }) => type === "commandExecution")?.processId;
    const known: string[] = [];
    client.onAsked = ({ params }) => {
      known.push(JSON.stringify(params));
      return { result: { decision: "decline" } };
    };
    await client.turn(thread.id, `type ${session} rm-all-of-it`, {
      sandboxPolicy: { type: "readOnly" },
    });
    expect(known).toEqual([expect.stringContaining("rm-all-of-it")]);
  });
});
