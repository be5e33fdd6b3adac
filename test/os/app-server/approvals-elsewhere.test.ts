/** A yes is for the machine that was asked about, and not for another one that is given its name. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ExecLab, sharedLab } from "../exec-server/support/exec-lab.ts";
import { ACCEPT, askingThread, ended, say } from "./support/asking.ts";
import { caseApp } from "./support/case-app.ts";

const TOKEN = "sesame";
const digest = createHash("sha256").update(TOKEN).digest("hex");
const flags = ["--ws-auth", "capability-token", "--ws-token-sha256", digest];
const first = sharedLab({ flags });
const second = sharedLab({ flags });
const app = caseApp({ token: TOKEN });

/** A thread on the first machine, and a client of somebody else who gives its name to the second. */
async function threadThere() {
  const { lab, place } = app();
  const client = await lab.client();
  const other = await lab.client();
  const environmentId = crypto.randomUUID();
  const name = ({ url: execServerUrl }: ExecLab) =>
    other.ok("environment/add", { environmentId, execServerUrl, authBearerToken: TOKEN });
  await name(first());
  const { workspace: cwd, outside } = first().place;
  const environments = [{ environmentId, cwd }];
  const threadId = await askingThread(client, place, { environments });
  return { client, threadId, file: (of: string) => path.join(outside, of), name };
}

const LINES = {
  command: (file: string) => `escalate touch ${file}`,
  change: (file: string) => `write ${file} text`,
};
const statusOf = (items: Awaited<ReturnType<typeof ended>>["items"]) =>
  items.find(({ type }) => /^(?:commandExecution|fileChange)$/.test(type))?.status;

describe.each(["command", "change"] as const)("a yes to a %s", (kind) => {
  it("does not count where its machine became another while it was asked about", async () => {
    const { client, threadId, file, name } = await threadThere();
    const target = file(`${kind}-asked`);
    const turn = await say(client, threadId, LINES[kind](target));
    const question = await client.question();
    await name(second());
    client.send({ id: question.id ?? 0, ...ACCEPT });
    const { items } = await ended(client, turn);
    expect(statusOf(items)).toBe("failed");
    expect(JSON.stringify(items)).toContain("has become another");
    expect(existsSync(target)).toBe(false);
  });
});

it("a yes for the session is one for a machine, and not for its name", async () => {
  const { client, threadId, file, name } = await threadThere();
  client.onAsked = () => ({ result: { decision: "acceptForSession" } });
  const line = LINES.command(file("session"));
  for (let round = 0; round < 2; round += 1) await client.turn(threadId, line);
  expect(client.asked).toHaveLength(1);
  await name(second());
  client.onAsked = () => ({ result: { decision: "decline" } });
  expect(statusOf((await client.turn(threadId, line)).items)).toBe("declined");
  expect(client.asked).toHaveLength(2);
});
