/** Settings by the keys of the configuration file: the user's own, and those that a request brings. */
import { describe, expect, it } from "vitest";
import { AppLab } from "./support/app-lab.ts";
import { scriptedModel } from "./support/scripted-model.ts";

const ASKED = { approval_policy: "untrusted", model_reasoning_effort: "high" };
const FOLLOWED = { approvalPolicy: "untrusted", reasoningEffort: "high" };

async function said(lab: AppLab) {
  const client = await lab.client();
  const asked = { cwd: lab.place.workspace, approvalPolicy: "never" };
  const { thread } = await client.ok("thread/start", asked);
  await client.turn(thread.id, "say hello");
  return { client, threadId: thread.id as string };
}

describe("what the config of a request says", () => {
  it("is followed by a thread that is resumed, and kept", async () => {
    const lab = new AppLab();
    const { threadId } = await said(lab);
    await lab.stop();
    const resumed = await (await lab.client()).ok("thread/resume", { threadId, config: ASKED });
    expect(resumed).toMatchObject(FOLLOWED);
    await lab.stop();
    expect(await (await lab.client()).ok("thread/resume", { threadId })).toMatchObject(FOLLOWED);
  });

  it("is followed by one that is loaded and left", async () => {
    const { client, threadId } = await said(new AppLab());
    await client.ok("thread/unsubscribe", { threadId });
    expect(await client.ok("thread/resume", { threadId, config: ASKED })).toMatchObject(FOLLOWED);
  });

  it("is followed by a fork, whose own members say more", async () => {
    const { client, threadId } = await said(new AppLab());
    expect(await client.ok("thread/fork", { threadId, config: ASKED })).toMatchObject(FOLLOWED);
    const both = { threadId, config: ASKED, approvalPolicy: "on-request" };
    expect(await client.ok("thread/fork", both)).toMatchObject({ approvalPolicy: "on-request" });
  });

  it("leaves a thread what it has where it says nothing of that, whatever the user's file says", async () => {
    const lab = new AppLab({ config: 'approval_policy = "on-request"\n' });
    const { client, threadId } = await said(lab);
    const config = { model_reasoning_effort: "low" };
    const forked = await client.ok("thread/fork", { threadId, config });
    expect(forked).toMatchObject({ approvalPolicy: "never", reasoningEffort: "low" });
  });
});

describe("what the user's file tells models", () => {
  it("is told to them, what is for developers as well", async () => {
    const model = await scriptedModel();
    const config = `instructions = "Be brief."\ndeveloper_instructions = "Use tabs."\n${model.config}`;
    await said(new AppLab({ config }));
    const [first] = model.requests;
    expect(JSON.stringify(first?.body)).toContain("Be brief.\\n\\nUse tabs.");
  });
});

describe("what the user's file names as a key", () => {
  it("is in no command, also where commands get all variables and ask for it by name", async () => {
    const model = await scriptedModel();
    const keys = {
      OWN_MODEL: "key-of-model",
      OWN_TEAM: "key-of-team",
      OWN_SERVER: "key-of-server",
    };
    const lab = new AppLab({
      env: { ...keys, OWN_OTHER: "of-no-use" },
      config: `${model.config}env_key = "OWN_MODEL"
env_http_headers = { x-team = "OWN_TEAM" }
[environment]
inherit = "all"
include = ["OWN_MODEL"]
[mcp_servers.far]
url = "http://127.0.0.1:9/mcp"
bearer_token_env_var = "OWN_SERVER"
sandbox = "inherit"
enabled = false
`,
    });
    const line = "env | grep ^OWN_";
    const client = await lab.client();
    const cwd = lab.place.workspace;
    const { thread } = await client.ok("thread/start", { cwd, sandbox: "read-only" });
    const { items } = await client.turn(thread.id, line);
    expect(items.find(({ type }) => type === "commandExecution")).toMatchObject({
      aggregatedOutput: "OWN_OTHER=of-no-use\n",
    });
    expect(model.requests[0]?.headers).toMatchObject({ authorization: "Bearer key-of-model" });
    const command = ["/bin/sh", "-c", line];
    const { stdout } = await client.ok("command/exec", { command });
    expect(stdout).toBe("OWN_OTHER=of-no-use\n");
  });
});
