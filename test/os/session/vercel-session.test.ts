/** A thread's session in VMs of Vercel, through the tools that a model has. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { uriOfNative } from "../../../src/policy/index.ts";
import { type RememberedSession, SkillShelf, ThreadSession } from "../../../src/session/index.ts";
import { processesWith } from "../../session/provider/support/processes-with.ts";
import { intentOf, NEVER } from "../../session/provider/support/sandbox-of.ts";
import { refuse } from "../../session/provider/vercel/twin/twin-request.ts";
import {
  external,
  type VercelLab,
  vercelLab,
  vmIntentIn,
} from "../../session/provider/vercel/twin/vercel-lab.ts";
import { skillFolder } from "../../session/skills/support/skill-folder.ts";

const codeOf = (code: string) => ({ name: "SessionError", code });
const soon = { timeout: 30_000 };

function sessionIn(
  { provider, workspace }: VercelLab,
  remembered?: RememberedSession,
  skills?: SkillShelf,
) {
  const told: (RememberedSession | null)[] = [];
  const session = new ThreadSession({
    ...{ provider, thread: "thread-1", workspace: uriOfNative(workspace), remembered },
    intent: vmIntentIn(workspace),
    onReference: async (kept) => void told.push(kept),
    ...(skills && { skills }),
  });
  onTestFinished(() => session.dispose());
  const bash = async (command: string, more: object = {}, signal = NEVER) => {
    const { value, notice } = await session.tools.execute({
      ...{ tool: "bash", input: { command, ...more }, signal },
    });
    return { ...value, notice };
  };
  return { session, bash, told };
}

describe("a session in a VM", () => {
  it("makes it when a tool asks, and uses it again", async () => {
    const lab = await vercelLab();
    const { session, bash, told } = sessionIn(lab);
    expect(lab.twin.requests).toEqual([]);
    expect(await bash("echo one > file; cat file")).toMatchObject({ ok: true, stdout: "one\n" });
    const input = { path: "file" };
    const read = await session.tools.execute({ tool: "readFile", input, signal: NEVER });
    expect(read.value).toMatchObject({ content: "one\n" });
    expect(lab.twin.vms).toHaveLength(1);
    expect(told).toMatchObject([{ reference: { generation: 1 } }]);
    await session.dispose();
    expect(lab.twin.vms.map(({ status }) => status)).toEqual(["stopped"]);
  });

  it("has the files of skills for its commands, and is believed nothing of what lies there", async () => {
    const lab = await vercelLab();
    const folder = skillFolder();
    const skills = new SkillShelf();
    const look = () => skills.use(folder.look().skills);
    folder.skill("a", [], "Do this.");
    folder.put("a/x.sh", "#!/bin/sh\necho ran\n", 0o755);
    look();
    const { session, bash } = sessionIn(lab, undefined, skills);
    expect(await bash('"$WRIT_SHELF/skills/a/x.sh"')).toMatchObject({ stdout: "ran\n" });
    await bash('echo "Do that." > "$WRIT_SHELF/skills/a/SKILL.md"; echo own > "$WRIT_SHELF/new"');
    const read = async (name: string) => {
      const input = { path: `$WRIT_SHELF/${name}` };
      return (await session.tools.execute({ tool: "readFile", input, signal: NEVER })).value;
    };
    expect(await read("skills/a/SKILL.md")).toMatchObject({
      content: expect.stringContaining("Do this."),
    });
    expect(await read("new")).toMatchObject({ content: "own\n" });
    const before = lab.twin.requests.length;
    look();
    await bash("true");
    const perCall = lab.twin.requests.length - before;
    folder.put("a/x.sh", "#!/bin/sh\necho again\n", 0o755);
    look();
    expect(await bash('"$WRIT_SHELF/skills/a/x.sh"')).toMatchObject({ stdout: "again\n" });
    expect(lab.twin.requests.length - before).toBeGreaterThan(2 * perCall);
  });

  it("ends a command that takes too long, with all that it started", async () => {
    const lab = await vercelLab();
    const { bash } = sessionIn(lab);
    const mark = `writ-mark-${path.basename(path.dirname(lab.workspace))}`;
    const script = `sh -c 'while :; do sleep 1; done' ${mark} & echo begun; wait`;
    expect(await bash(script, { timeoutMs: 1500 })).toMatchObject({
      exitCode: 124,
      timedOut: true,
    });
    await expect.poll(() => processesWith(mark), soon).toEqual([]);
    expect(await bash("echo on")).toMatchObject({ stdout: "on\n" });
    expect(lab.twin.vms).toHaveLength(1);
  });

  it("ends a command that nobody waits for, and does not say how it went", async () => {
    const lab = await vercelLab();
    const { bash } = sessionIn(lab);
    await bash("true");
    const off = new AbortController();
    const running = bash("touch begun; sleep 600", {}, off.signal);
    await expect.poll(() => existsSync(path.join(lab.workspace, "begun")), soon).toBe(true);
    off.abort();
    expect(await running).toMatchObject({ exitCode: 130, aborted: true, outcomeUnknown: true });
    await expect
      .poll(() => lab.twin.vms[0]?.ran.every(({ exitCode }) => exitCode !== null), soon)
      .toBe(true);
  });

  it("gets another VM for the call after the one during which it died, and says so (L5)", async () => {
    const lab = await vercelLab();
    const { bash, session } = sessionIn(lab);
    await bash("true");
    const running = bash("echo ran >> begun; sleep 600").catch((error: unknown) => error);
    const begun = path.join(lab.workspace, "begun");
    const content = () => existsSync(begun) && readFileSync(begun, "utf8");
    await expect.poll(content, soon).toBe("ran\n");
    await lab.strike(session.reference()?.id ?? "");
    expect(await running).toMatchObject(codeOf("interrupted"));
    expect(await bash("echo on")).toMatchObject({
      stdout: "on\n",
      notice: expect.stringContaining("those of the workspace too"),
    });
    expect(session.generation).toBe(2);
    expect(content()).toBe("ran\n");
  });

  it("is found by a later process under the same policy, and only there", async () => {
    const lab = await vercelLab();
    const first = sessionIn(lab);
    await first.bash("true");
    await first.session.release();
    const [kept] = first.told;
    const later = sessionIn(lab, kept ?? undefined);
    expect(await later.bash("echo on")).toMatchObject({ stdout: "on\n", notice: null });
    expect(lab.twin.vms).toHaveLength(1);
    later.session.useIntent(intentOf(external, lab.workspace));
    await later.bash("true");
    expect(lab.twin.vms.map(({ made }) => made.networkPolicy)).toEqual([
      { allow: ["example.com"] },
      { mode: "deny-all" },
    ]);
  });

  it("is not replaced where the service cannot say whether it lives (D9)", async () => {
    const lab = await vercelLab();
    const first = sessionIn(lab);
    await first.bash("true");
    await first.session.release();
    const later = sessionIn(lab, first.told[0] ?? undefined);
    lab.twin.fault = (_, response) => {
      refuse(response, 503, "not_found");
      return "answered";
    };
    await expect(later.bash("true")).rejects.toMatchObject(codeOf("unavailable"));
    lab.twin.fault = () => undefined;
    expect(await later.bash("echo on")).toMatchObject({ stdout: "on\n", notice: null });
    expect(lab.twin.vms).toHaveLength(1);
  });
});
