/** What a policy denies on another machine stays denied there, or the change is refused. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { sharedLab } from "../exec-server/support/exec-lab.ts";
import { caseApp, ran } from "./support/case-app.ts";
import { WORKSPACE_WRITE } from "./support/policies.ts";
import { roomIn } from "./support/standing-app.ts";

const TOKEN = "sesame";
const THERE = "elsewhere";
const LIFTS = "which the current policy denies";
const DENIES =
  '[permissions.d]\nextends = ":workspace"\n[permissions.d.filesystem.":workspace_roots"]\n"secret" = "deny"\n';

const digest = createHash("sha256").update(TOKEN).digest("hex");
const app = caseApp({ settings: () => DENIES, token: TOKEN });
const machine = sharedLab({
  flags: ["--ws-auth", "capability-token", "--ws-token-sha256", digest],
  get place() {
    return app().place;
  },
});

beforeAll(async () => {
  const address = { execServerUrl: machine().url, authBearerToken: TOKEN };
  await app().client.ok("environment/add", { environmentId: THERE, ...address });
});

async function denied() {
  const { client, place } = app();
  const { workspace, outside } = roomIn(place);
  mkdirSync(`${workspace}/secret/deep`, { recursive: true });
  writeFileSync(`${workspace}/secret/deep/file`, "hidden\n");
  const at = (cwd: string) => ({ environments: [{ environmentId: THERE, cwd }] });
  const asked = { cwd: place.workspace, permissions: "d", ...at(workspace) };
  const { thread } = await client.ok("thread/start", asked);
  const threadId: string = thread.id;
  const read = async () =>
    (await ran(client, threadId, `cat ${workspace}/secret/deep/file`)).output;
  expect(await read()).toContain("Permission denied");
  return { client, threadId, workspace, outside, at, read };
}

describe("a deny in the workspace on another machine holds, or the change is refused", () => {
  it("when only the folder there moves", async () => {
    const { client, threadId, outside, at, read } = await denied();
    const input = [{ type: "text", text: "true", text_elements: [] }];
    const moved = await client.refused("turn/start", { threadId, input, ...at(outside) });
    expect(moved.message).toContain(LIFTS);
    expect(await read()).not.toContain("hidden");
  });

  it("until the profile is named again", async () => {
    const { client, threadId, outside, at, workspace } = await denied();
    const named = { permissions: "d", ...at(outside) };
    const { output } = await ran(client, threadId, `cat ${workspace}/secret/deep/file`, named);
    expect(output).toContain("hidden");
  });

  it("when a coarse policy opens a folder within it", async () => {
    const { client, threadId, workspace, read } = await denied();
    const policy = { ...WORKSPACE_WRITE, writableRoots: [`${workspace}/secret/deep`] };
    const asked = { threadId, sandboxPolicy: policy };
    for (const method of ["thread/settings/update", "thread/fork"]) {
      expect((await client.refused(method, asked)).message).toContain(LIFTS);
    }
    expect(await read()).not.toContain("hidden");
  });

  it("and one that keeps it is taken", async () => {
    const { client, threadId, workspace, at, read } = await denied();
    await client.ok("thread/settings/update", { threadId, sandboxPolicy: WORKSPACE_WRITE });
    expect(await read()).not.toContain("hidden");
    await ran(client, threadId, "true", at(workspace));
  });
});
