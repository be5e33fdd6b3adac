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
