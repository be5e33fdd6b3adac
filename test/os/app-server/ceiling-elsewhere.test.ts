/** What a ceiling takes from a thread no yes of a person gives back on another machine. */
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sharedLab } from "../exec-server/support/exec-lab.ts";
import { AppLab } from "./support/app-lab.ts";
import { ACCEPT, askingThread } from "./support/asking.ts";

const TOKEN = "sesame";
const digest = createHash("sha256").update(TOKEN).digest("hex");
const machine = sharedLab({
  flags: ["--ws-auth", "capability-token", "--ws-token-sha256", digest],
});

const ALL = 'allowed_sandbox_modes = ["read-only", "workspace-write", "danger-full-access"]\n';
const MODES = 'allowed_sandbox_modes = ["read-only", "workspace-write"]\n';
const PROFILES = `default_permissions = ":workspace"\n[allowed_permission_profiles]\n":workspace" = true\n`;

/** A thread on the other machine, under a ceiling that can be lowered, with somebody who says yes. */
async function threadThere(ceiling: string, members: object) {
  const { place, url } = machine();
  const lab = new AppLab({ token: TOKEN, flags: ["--ceiling", "../ceiling.toml"] });
  const write = (text: string) =>
    writeFileSync(path.join(path.dirname(lab.place.workspace), "ceiling.toml"), text);
  write(ceiling);
  const client = await lab.client();
  client.onAsked = () => ACCEPT;
  const address = { execServerUrl: url, authBearerToken: TOKEN };
  await client.ok("environment/add", { environmentId: "there", ...address });
  const environments = [{ environmentId: "there", cwd: place.workspace }];
  const threadId = await askingThread(client, lab.place, { environments, ...members });
  const tried = async (name: string, line: (file: string) => string) => {
    const file = path.join(place.outside, name);
    const { items } = await client.turn(threadId, line(file));
    const item = items.find(({ type }) => /^(?:commandExecution|fileChange)$/.test(type));
    return { status: item?.status, isThere: existsSync(file), asked: client.asked.length };
  };
  return { write, tried };
}

const OUT = (file: string) => `escalate touch ${file}`;
const WRITTEN = (file: string) => `write ${file} text`;

describe("on another machine", () => {
  it("a yes lets a command and a change out where the ceiling does", async () => {
    const { tried } = await threadThere(ALL, {});
    expect(await tried("free", OUT)).toEqual({ status: "completed", isThere: true, asked: 1 });
    expect(await tried("told", WRITTEN)).toEqual({ status: "completed", isThere: true, asked: 2 });
  });

  it.each([
    ["modes", MODES, {}],
    ["profiles", PROFILES, { sandbox: undefined, permissions: ":workspace" }],
  ])("nobody is asked to let anything out over a ceiling of %s", async (kind, ceiling, members) => {
    const { tried } = await threadThere(ceiling, members);
    const kept = { status: "failed", isThere: false, asked: 0 };
    expect(await tried(`${kind}-command`, OUT)).toEqual(kept);
    expect(await tried(`${kind}-change`, WRITTEN)).toEqual(kept);
  });

  it("a ceiling that is lowered holds from the next turn on", async () => {
    const { tried, write } = await threadThere(ALL, {});
    expect((await tried("before", OUT)).isThere).toBe(true);
    write(MODES);
    expect(await tried("after", OUT)).toEqual({ status: "failed", isThere: false, asked: 1 });
  });
});
