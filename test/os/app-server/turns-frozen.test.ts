/** A turn of several calls, with a model behind a real wire: what changes meanwhile is for the next turn. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  answers,
  calls,
  says,
  startProvider,
} from "../../agent/model/ai/support/responses-server.ts";
import { AppLab } from "./support/app-lab.ts";
import { ACCEPT, askingThread, DECLINE, ended, say } from "./support/asking.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE } from "./support/policies.ts";

/** What the model does when it is asked: it calls a tool, or says that it is done. */
type Step = object | "done";

const command = (cmd: string, more: object = {}): Step => ({ cmd, ...more });

/** Waits for leave, which is when a test changes something. */
const pause = command("true", {
  sandbox_permissions: "require_escalated",
  justification: "to wait",
});

/** A server whose model does this, one step a request. */
async function modelled(steps: (lab: AppLab) => readonly Step[]) {
  const lab = new AppLab();
  const said = [...steps(lab), "done"].map((step, index) =>
    answers(
      typeof step === "string"
        ? says(`msg_${index}`, step)
        : calls(`call_${index}`, "exec_command", JSON.stringify(step)),
    ),
  );
  const { baseUrl, requests, close } = await startProvider(...said);
  onTestFinished(close);
  lab.configure(`
model = "scripted"
model_provider = "mock"
[model_providers.mock]
base_url = ${JSON.stringify(baseUrl)}
wire_api = "responses"
`);
  const client = await lab.client();
  /** What the model was last told. */
  const told = () => JSON.stringify(requests.at(-1)?.body.input);
  return { lab, client, told };
}

/** A thread whose model does this, at its first question. */
async function asking(steps: (lab: AppLab) => readonly Step[], members: object = {}) {
  const { lab, client, told } = await modelled(steps);
  const threadId = await askingThread(client, lab.place, members);
  const turnId = await say(client, threadId, "go");
  const { id } = await client.question();
  return { lab, client, threadId, turnId, id, told };
}

describe("D01 a turn that runs", () => {
  it.each([
    ["narrower", "workspace-write", READ_ONLY, [true, false]],
    ["wider", "read-only", WORKSPACE_WRITE, [false, true]],
  ])(
    "keeps its policy for all its calls when a %s one is set",
    async (_, sandbox, policy, wrote) => {
      const { lab, client, threadId, turnId, id } = await asking(
        () => [pause, command("touch now"), "done", command("touch next")],
        { sandbox },
      );
      await client.ok("thread/settings/update", { threadId, sandboxPolicy: policy });
      const told = await client.note("thread/settings/updated");
      expect(told.params.threadSettings.sandboxPolicy).toEqual(policy);
      client.send({ id, ...ACCEPT });
      expect((await ended(client, turnId)).status).toBe("completed");
      await client.turn(threadId, "again");
      const files = ["now", "next"].map((name) => path.join(lab.place.workspace, name));
      expect(files.map((file) => existsSync(file))).toEqual(wrote);
    },
  );

  it("asks as it did when it began, and the next one does not", async () => {
    const { client, threadId, turnId, id } = await asking(() => [pause, pause, "done", pause]);
    await client.ok("thread/settings/update", { threadId, approvalPolicy: "never" });
    client.send({ id, ...ACCEPT });
    const second = await client.question(1);
    client.send({ id: second.id, ...DECLINE });
    const statuses = ({ items }: { items: readonly { type: string; status?: string }[] }) =>
      items.filter(({ type }) => type === "commandExecution").map(({ status }) => status);
    expect(statuses(await ended(client, turnId))).toEqual(["completed", "declined"]);
    expect(statuses(await client.turn(threadId, "again"))).toEqual(["failed"]);
    expect(client.asked).toHaveLength(2);
  });

  it("stays in its folder, and the next one begins in the other", async () => {
    const { lab, client, threadId, turnId, id } = await asking(({ place }) => [
      pause,
      command(`pwd > ${place.workspace}/now`),
      "done",
      command("pwd > next"),
    ]);
    const { workspace } = lab.place;
    const other = path.join(workspace, "other");
    mkdirSync(other);
    await client.ok("thread/settings/update", { threadId, cwd: other });
    client.send({ id, ...ACCEPT });
    await ended(client, turnId);
    await client.turn(threadId, "again");
    expect(readFileSync(path.join(workspace, "now"), "utf8")).toBe(`${workspace}\n`);
    expect(readFileSync(path.join(other, "next"), "utf8")).toBe(`${other}\n`);
  });

  it("G01 tells the model that a command was rejected, and runs what it does then", async () => {
    const { lab, client, turnId, id, told } = await asking(({ place }) => [
      pause,
      command(`touch ${place.workspace}/instead`),
    ]);
    client.send({ id, ...DECLINE });
    expect((await ended(client, turnId)).status).toBe("completed");
    expect(told()).toContain("Rejected by the user");
    expect(existsSync(path.join(lab.place.workspace, "instead"))).toBe(true);
  });
});

describe("K4 a model that asks for more than its turn has", () => {
  const file = ({ place }: AppLab) => `${place.outside}/more`;

  it.each<[string, object]>([
    ["another policy", { sandboxPolicy: FULL_ACCESS }],
    ["another mode", { sandbox: "danger-full-access" }],
    ["a profile", { permissions: ":danger-full-access" }],
    ["more permissions", { additional_permissions: { file_system: { write: ["/"] } } }],
    ["permissions of a kind that is not declared", { sandbox_permissions: "disabled" }],
    ["permissions beside its own", { sandbox_permissions: "with_additional_permissions" }],
    ["a yes that nobody gave", { sandbox_permissions: "use_default", approved: true }],
  ])("is refused %s, is told so, and nothing runs", async (_, more) => {
    const { lab, client, told } = await modelled((one) => [
      command(`touch ${file(one)}; touch here`, more),
    ]);
    const threadId = await askingThread(client, lab.place);
    const { turn, items } = await client.turn(threadId, "go");
    expect(turn.status).toBe("completed");
    expect(client.asked).toEqual([]);
    expect(items[1]).toMatchObject({ type: "dynamicToolCall", status: "failed", success: false });
    expect(told()).toContain("Cannot call");
    const files = [file(lab), path.join(lab.place.workspace, "here")];
    expect(files.filter((one) => existsSync(one))).toEqual([]);
  });
});
