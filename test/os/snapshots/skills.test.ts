/** A session that starts from a snapshot and has skills: both are there, and neither is written. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { uriOfNative } from "../../../src/policy/index.ts";
import {
  type RememberedSession,
  SkillShelf,
  type SnapshotSource,
  ThreadSession,
} from "../../../src/session/index.ts";
import { intentIn } from "../../session/provider/support/sandbox-of.ts";
import { type SkillFolder, skillFolder } from "../../session/skills/support/skill-folder.ts";
import { placeFor, USERS } from "../support/sandbox-user.ts";
import { HELLO, openRegistry, WORDS } from "./support/registry.ts";
import { helloFrom, runWrit, settings } from "./support/run-writ.ts";
import { type SnapshotLab, sh, snapshotLab } from "./support/snapshot-lab.ts";

const BOTH = 'hello && "$WRIT_SHELF/skills/a/run.sh"';
const READ = { stdout: "hello from a package\nran\n", exitCode: 0 };

/** Everything that would have changed one of them says so. */
const TRIED = ["$WRIT_SHELF", "$WRIT_SHELF/skills/a", "$WRIT_SNAPSHOT", "$WRIT_SNAPSHOT/bin"]
  .flatMap((at) => [`touch "${at}/new"`, `mv "${at}" "${at}-moved"`, `rmdir "${at}"`])
  .concat('echo x > "$WRIT_SNAPSHOT/bin/hello"', 'echo x > "$WRIT_SHELF/skills/a/SKILL.md"')
  .map((one) => `(${one}) 2>/dev/null && echo CHANGED`)
  .join("; ");

interface Begun {
  readonly snapshots: SnapshotSource;
  readonly remembered?: RememberedSession | undefined;
}

function sessionOf(lab: SnapshotLab, folder: SkillFolder, { snapshots, remembered }: Begun) {
  const { provider, workspace } = lab;
  const skills = new SkillShelf();
  skills.use(folder.look().skills);
  let known: RememberedSession | undefined;
  const session = new ThreadSession({
    ...{ provider, thread: "thread-1", intent: intentIn(workspace), remembered },
    ...{ workspace: uriOfNative(workspace), snapshots, skills },
    onReference: async (told) => {
      known = told ?? undefined;
    },
  });
  onTestFinished(() => session.dispose());
  return { session, remembered: () => known };
}

function skillsOf(): SkillFolder {
  const folder = skillFolder();
  folder.skill("a");
  folder.put("a/run.sh", "#!/bin/sh\necho ran\n", 0o755);
  return folder;
}

describe("a session from a snapshot that has skills", () => {
  it.each(["workspace-write", "read-only"] as const)(
    "reads both and changes neither: %s",
    async (mode) => {
      const lab = await snapshotLab();
      const { session } = sessionOf(lab, skillsOf(), { snapshots: lab.source() });
      await sh(session, "true");
      session.useIntent(intentIn(lab.workspace, mode));
      expect(await sh(session, BOTH)).toMatchObject(READ);
      expect((await sh(session, TRIED)).stdout).toBe("");
      expect(await sh(session, BOTH)).toMatchObject(READ);
    },
  );

  it("is found again with both, and replaced with both where it would start from something else", async () => {
    const lab = await snapshotLab();
    const folder = skillsOf();
    const first = sessionOf(lab, folder, { snapshots: lab.source() });
    expect(await sh(first.session, BOTH)).toMatchObject(READ);
    await first.session.release();
    folder.put("a/more", "more\n");
    const remembered = first.remembered();
    const second = sessionOf(lab, folder, { snapshots: lab.source(), remembered });
    expect(await sh(second.session, BOTH)).toMatchObject(READ);
    expect((await sh(second.session, 'cat "$WRIT_SHELF/skills/a/more"')).stdout).toBe("more\n");
    expect(second.session.reference()).toEqual(remembered?.reference);
    await second.session.release();
    const snapshots = lab.source({ npm: { hello: "1.0.0", words: "1.0.0" } });
    const third = sessionOf(lab, folder, { snapshots, remembered });
    expect(await sh(third.session, BOTH)).toMatchObject(READ);
    expect(third.session.reference()).toMatchObject({ generation: 2 });
    expect(third.remembered()?.reference.dependencies).not.toBe(remembered?.reference.dependencies);
  });
});

describe.each(USERS)("the program with a snapshot and skills, as %s", (user) => {
  it("shows both to the commands of a chat, and lets none of them change either", async () => {
    const place = placeFor(user);
    const registry = await openRegistry(HELLO, WORDS);
    settings(place, helloFrom(registry.url));
    const skill = path.join(place.env.WRIT_HOME ?? "", "skills", "a");
    mkdirSync(skill, { recursive: true });
    writeFileSync(
      path.join(skill, "SKILL.md"),
      "---\nname: a\ndescription: Does a.\n---\nDo it.\n",
    );
    writeFileSync(path.join(skill, "run.sh"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    const { status, stdout } = await runWrit(place, ["chat"], [`${TRIED}; echo tried`, BOTH]);
    expect(status).toBe(0);
    expect(stdout).toContain("| tried\n");
    expect(stdout).not.toContain("| CHANGED");
    expect(stdout).toContain("| hello from a package\n| ran\n");
    expect(readdirSync(skill).sort()).toEqual(["SKILL.md", "run.sh"]);
  });
});
