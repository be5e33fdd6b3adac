/** Skills of a thread on real sandboxes: read on the host first, on the shelf then, and never written there. */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandExecution, UserInput } from "../../../src/agent/index.ts";
import { type PermissionProfile, uriOfNative } from "../../../src/policy/index.ts";
import { createSkillSource } from "../../../src/session/index.ts";
import { call, exec, profileIn } from "../../agent/support/turn-lab.ts";
import { processesWith } from "../../session/provider/support/processes-with.ts";
import { type SkillFolder, skillFolder } from "../../session/skills/support/skill-folder.ts";
import {
  type AgentLab,
  agentsAt,
  EVERYWHERE,
  type OpenAgent,
  processesOf,
  rareSleep,
  until,
} from "./support/agent-lab.ts";

interface Lab extends AgentLab {
  readonly folder: SkillFolder;
}

async function skillLab(agentLab: OpenAgent, mode: "read-only" | "workspace-write"): Promise<Lab> {
  const folder = skillFolder();
  const skills = createSkillSource({
    places: async () => ({ roots: [{ folder: folder.root, scope: "user" }], disabled: [] }),
    home: "/home/me",
  });
  return { ...(await agentLab(mode, { skills })), folder };
}

const named = (name: string): UserInput[] => [
  { type: "other", value: { type: "skill", name, path: "" } },
];
const lastCommand = ({ completed }: AgentLab) =>
  completed().findLast((item): item is CommandExecution => item.type === "commandExecution");
const lastOutput = (lab: AgentLab) => lastCommand(lab)?.output ?? "";
const lastAnswer = ({ completed }: AgentLab) => {
  const item = completed().findLast((one) => one.type === "toolCall");
  return item?.type === "toolCall" ? (item.call.output ?? "") : "";
};
const anchorsOf = async ({ executor }: AgentLab) => (await executor.anchors?.list()) ?? [];

/** All that a command could try to change what lies on its shelf. */
const ATTEMPTS = [
  'echo x > "$S/SKILL.md"',
  'echo x >> "$S/scripts/x.sh"',
  'touch "$S/new"',
  'rm -f "$S/SKILL.md"',
  'mv "$S/SKILL.md" "$S/else"',
  'mv "$S" "$WRIT_SHELF/else"',
  'ln -s /etc/passwd "$S/link"',
  'chmod 777 "$S/SKILL.md"',
  'mkdir "$WRIT_SHELF/mine"',
  'rm -rf "$WRIT_SHELF"',
  'mv "$WRIT_SHELF" "$HOME/shelf"',
  'mount -o remount,rw "$WRIT_SHELF" 2>/dev/null',
  'umount "$WRIT_SHELF" 2>/dev/null && touch "$WRIT_SHELF/x"',
  'unshare -Urm mount -o remount,bind,rw "$WRIT_SHELF" 2>/dev/null',
  ': > "$WRIT_SHELF/skills.manifest"',
  'echo x > "/proc/self/root$S/SKILL.md"',
  'echo x > "/proc/1/root$S/SKILL.md"',
  'echo x > "$HOME/../shelf/skills/a/SKILL.md"',
  'ln "$S/SKILL.md" "$HOME/hard" && echo x >> "$HOME/hard"',
  'mv "$WRIT_SHELF/.." "$WRIT_SHELF/../../else"',
  'cd "$WRIT_SHELF/.." && mv "$PWD" "$PWD-else"',
  'cd "$WRIT_SHELF/../.." && mv "$PWD" "$PWD-else"',
];
const TRIED = ATTEMPTS.map((one) => `(${one}) && echo "DONE ${one.replaceAll('"', "")}"`).join(
  "; ",
);

describe.each(EVERYWHERE)("skills of a thread (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("cases 2, 42: are loaded and read on the host, and nothing is started for that", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("a", [], "Do this.");
    lab.folder.put("a/references/x.md", "one\n");
    await lab.run("skill A");
    expect(lastAnswer(lab)).toContain("Do this.");
    await lab.run("read $WRIT_SHELF/skills/a/references/x.md");
    expect(lastAnswer(lab)).toBe("one\n");
    expect(await anchorsOf(lab)).toEqual([]);
    expect(processesWith("thread-1")).toEqual([]);
    expect(lab.sessions.get("thread-1")).toBeUndefined();
  });

  it("case 43: are looked for in the sandbox where the host has no such file", async () => {
    const lab = await skillLab(agentLab, "read-only");
    lab.folder.skill("a");
    await lab.run("read $WRIT_SHELF/skills/a/none.md");
    expect(lastAnswer(lab)).toContain("there is no file");
    expect(await anchorsOf(lab)).toHaveLength(1);
  });

  it("cases 56, 59: are on the shelf of the first command, to the byte, and scripts run", async () => {
    const lab = await skillLab(agentLab, "read-only");
    const bytes = Buffer.alloc(
      5 << 20,
      Uint8Array.from({ length: 251 }, (_, at) => at),
    );
    lab.folder.skill("a");
    lab.folder.put("a/scripts/x.sh", '#!/bin/sh\necho "ran $1"\n', 0o755);
    lab.folder.put("a/asset", bytes);
    await lab.run('"$WRIT_SHELF/skills/a/scripts/x.sh" it; sha256sum < $WRIT_SHELF/skills/a/asset');
    const { createHash } = await import("node:crypto");
    const digest = createHash("sha256").update(bytes).digest("hex");
    expect(lastOutput(lab)).toBe(`ran it\n${digest}  -\n`);
    await lab.run("read $WRIT_SHELF/skills/a/scripts/x.sh");
    expect(lastAnswer(lab)).toContain("echo");
    await lab.run("list $WRIT_SHELF/skills/a");
    expect(lastAnswer(lab)).toBe("SKILL.md\nasset\nscripts/");
  });

  it.each(["read-only", "workspace-write"] as const)(
    "are not changed by any command inside: %s",
    async (mode) => {
      const lab = await skillLab(agentLab, mode);
      lab.folder.skill("a");
      lab.folder.put("a/scripts/x.sh", "#!/bin/sh\n", 0o755);
      await lab.run(`S=$WRIT_SHELF/skills/a; ${TRIED}; ls -R "$WRIT_SHELF"`);
      expect(lastOutput(lab)).not.toContain("DONE");
      expect(lastOutput(lab)).toMatch(/skills\/a:\nSKILL\.md\nscripts\n/);
      await lab.run("read $WRIT_SHELF/skills/a/SKILL.md");
      expect(lastAnswer(lab)).toContain("Do it.");
    },
  );

  it("are only read also where the policy opens everything for writing", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("a");
    const profile: PermissionProfile = {
      ...{ type: "managed", network: { kind: "restricted" }, unixSockets: "none" },
      fileSystem: {
        type: "restricted",
        entries: [{ target: { type: "root" }, access: "write" }],
      },
    };
    await lab.run(`S=$WRIT_SHELF/skills/a; ${TRIED}`, { profile });
    expect(lastOutput(lab)).not.toContain("DONE");
    await lab.run('touch "$WRIT_SHELF/x" "$WRIT_SHELF/skills/a/x" "$HOME/x"; ls "$HOME"', {
      profile,
    });
    expect(lastOutput(lab).match(/Read-only file system/g)).toHaveLength(2);
    expect(lastOutput(lab)).toMatch(/x\n$/);
  });

  it("cases 56, 57: follow the host from turn to turn", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("a");
    lab.folder.skill("b");
    const script = lab.folder.put("a/x.sh", "#!/bin/sh\necho one\n", 0o755);
    await lab.run('"$WRIT_SHELF/skills/a/x.sh"');
    expect(lastOutput(lab)).toBe("one\n");
    lab.folder.put("a/x.sh", "#!/bin/sh\necho two\n");
    lab.folder.remove("b");
    await lab.run('"$WRIT_SHELF/skills/a/x.sh"; ls "$WRIT_SHELF/skills"');
    expect(lastOutput(lab)).toBe("two\na\n");
    chmodSync(script, 0o644);
    await lab.run('test -x "$WRIT_SHELF/skills/a/x.sh" || echo no');
    expect(lastOutput(lab)).toBe("no\n");
    expect(lab.sessions.generationOf("thread-1")).toBe(1);
  });

  it("that only a person may load are nowhere to read before a person did", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("release", ["disable-model-invocation: true"], "Tag it.");
    lab.folder.put("release/notes.md", "secret\n");
    const read = "read $WRIT_SHELF/skills/release/notes.md";
    const cat = 'cat "$WRIT_SHELF/skills/release/notes.md"';
    for (const line of [read, cat, read]) await lab.run(line);
    expect(lastAnswer(lab)).toContain("there is no file");
    expect(JSON.stringify(lab.completed())).not.toContain("secret");
    await lab.run(cat, {}, named("release"));
    expect(lastOutput(lab)).toBe("secret\n");
    await lab.run(cat);
    expect(lastOutput(lab)).not.toContain("secret");
  });

  it("case 8: leave a thread the sandbox that it has where a turn fails before it needs one", async () => {
    const folder = skillFolder();
    let problem: Error | undefined;
    const skills = createSkillSource({
      places: async () => {
        if (problem !== undefined) throw problem;
        return { roots: [{ folder: folder.root, scope: "user" }], disabled: [] };
      },
      home: "/home/me",
    });
    const lab = await agentLab("workspace-write", { skills });
    await lab.run('echo kept > "$HOME/file"');
    const before = lab.sessions.get("thread-1");
    problem = new Error("Cannot look for skills");
    const failed = await lab.run("true");
    expect(failed).toEqual({ status: "failed", message: "Cannot look for skills" });
    expect(lab.sessions.get("thread-1")).toMatchObject({ id: before?.id, generation: 1 });
    problem = undefined;
    await lab.run('cat "$HOME/file"');
    expect(lastOutput(lab)).toBe("kept\n");
  });

  it("are hidden from what runs beside the session, and gone with it", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("a");
    await lab.run('printf %s "$WRIT_SHELF"');
    const shelf = lastOutput(lab);
    await lab.shell(`cat ${shelf}/skills/a/SKILL.md; echo x > ${shelf}/x`);
    expect(lastOutput(lab)).not.toContain("Do it.");
    expect(existsSync(path.join(shelf, "x"))).toBe(false);
    await lab.thread.close();
    expect(existsSync(shelf)).toBe(false);
  });
});

describe.each(EVERYWHERE)("a policy of a skill (%s)", (where) => {
  const agentLab = agentsAt(where);

  it("narrows what the turn may do from then on, and no later turn", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("careful", ["writ:", '  extends: ":read-only"']);
    await lab.run("touch first");
    await lab.run("touch second", {}, named("careful"));
    expect(lastOutput(lab)).toContain("Read-only file system");
    await lab.run("write third x", { approval: "never" }, named("careful"));
    await lab.run("touch fourth");
    const made = ["first", "second", "third", "fourth"].map((name) =>
      existsSync(path.join(lab.workspace, name)),
    );
    expect(made).toEqual([true, false, false, true]);
    expect(lab.sessions.generationOf("thread-1")).toBe(1);
  });

  it("narrows also a turn that would have had no sandbox before", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("careful", ["writ:", '  extends: ":read-only"']);
    await lab.run("touch made", {}, named("careful"));
    expect(existsSync(path.join(lab.workspace, "made"))).toBe(false);
  });

  it("opens nothing in a turn that may do less", async () => {
    const lab = await skillLab(agentLab, "read-only");
    lab.folder.skill("wide", ["writ:", '  extends: ":workspace"'], "Loaded.");
    await lab.run("touch made", {}, named("wide"));
    expect(
      lab.completed().some((one) => "call" in one && one.call?.output?.includes("Loaded.")),
    ).toBe(true);
    expect(lastOutput(lab)).toContain("Read-only file system");
    expect(existsSync(path.join(lab.workspace, "made"))).toBe(false);
  });

  it("refuses the skill where it allows one thing more, and another less", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    lab.folder.skill("odd", ["writ:", '  extends: ":read-only"', "  network: { enabled: true }"]);
    await lab.run("skill odd");
    expect(lastAnswer(lab)).toContain("expected one that only narrows it");
    const line = "touch inside; wc -l < /proc/net/dev";
    expect(await lab.run(line, {}, named("odd"))).toMatchObject({ status: "failed" });
    expect(existsSync(path.join(lab.workspace, "inside"))).toBe(false);
    await lab.run(line);
    expect(existsSync(path.join(lab.workspace, "inside"))).toBe(true);
    // Two lines of a head, and a loopback alone.
    expect(lastOutput(lab)).toBe("3\n");
  });

  it("keeps what the policy of the turn denies", async () => {
    const lab = await skillLab(agentLab, "workspace-write");
    const secret = path.join(lab.workspace, "secret.txt");
    await lab.run("write secret.txt hidden");
    const base = profileIn("workspace-write");
    if (base.type !== "managed" || base.fileSystem.type !== "restricted")
      throw new Error("no rules");
    const { entries } = base.fileSystem;
    const denied = { target: { type: "path", path: uriOfNative(secret) }, access: "deny" } as const;
    const profile: PermissionProfile = {
      ...base,
      fileSystem: { ...base.fileSystem, entries: [...entries, denied] },
    };
    lab.folder.skill("careful", ["writ:", '  extends: ":read-only"']);
    await lab.run("cat secret.txt; touch x", { profile }, named("careful"));
    expect(lastOutput(lab)).not.toContain("hidden");
    expect(existsSync(path.join(lab.workspace, "x"))).toBe(false);
    expect(readFileSync(secret, "utf8")).toBe("hidden\n");
  });
});

describe("a policy of a skill and a grant", () => {
  const agentLab = agentsAt("in this process");

  it("lets nothing that was granted for the turn go on after it", async () => {
    const folder = skillFolder();
    folder.skill("online", ["writ:", '  extends: ":read-only"', "  network: { enabled: true }"]);
    const skills = createSkillSource({
      places: async () => ({ roots: [{ folder: folder.root, scope: "user" }], disabled: [] }),
      home: "/home/me",
    });
    const line = rareSleep();
    const network = { network: { enabled: true } };
    const steps = [
      [call("request_permissions", { reason: "x", permissions: network })],
      [call("load_skill", { name: "online" })],
      [exec(line, { tty: true, yield_time_ms: 250 })],
    ];
    async function* respond() {
      yield* steps.shift() ?? [];
    }
    const lab = await agentLab("workspace-write", {
      ...{ skills, models: { find: () => ({ respond }) } },
      permissions: [{ given: { network: true, files: [] }, scope: "turn" }],
    });
    await lab.run("go");
    expect(
      lab.completed().some((one) => "call" in one && one.call?.output?.includes("Do it.")),
    ).toBe(true);
    expect(lastCommand(lab)?.call?.output).toContain("session ID");
    await until(() => processesOf(line) === 0);
  });
});
