/** Skills on the shelf of a sandbox, as a session puts them there, by a provider that is none. */
import { chmodSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SkillShelf } from "../../../src/session/index.ts";
import { SessionError } from "../../../src/session/session-error.ts";
import type { FakeSandbox } from "../support/fake-provider.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { earlier, type SessionLab, sessionLab } from "../support/session-lab.ts";
import { type SkillFolder, skillFolder } from "./support/skill-folder.ts";

interface Lab extends SessionLab {
  readonly folder: SkillFolder;
  readonly shelf: SkillShelf;
  /** Looks at the folder again. */
  again(): void;
}

function lab(provider = new FakeProvider(), isOld = false): Lab {
  const folder = skillFolder();
  const shelf = new SkillShelf();
  const remembered = isOld ? earlier(provider) : undefined;
  const made = sessionLab({ skills: shelf, remembered }, provider);
  return { ...made, folder, shelf, again: () => shelf.use(folder.look().skills) };
}

const shelved = ({ files }: FakeSandbox) =>
  [...files.keys()].filter((one) => one.startsWith("/shelf/skills/")).sort();
const sent = ({ stocked }: FakeSandbox) =>
  stocked.map(({ write, remove, isEmptied }) => ({
    ...{ remove, isEmptied },
    write: write.map((one) => one.path),
  }));

describe("the skills of a session", () => {
  it("case 51: sends nothing to a sandbox where there are no skills", async () => {
    const { provider, bash } = lab();
    await bash("true");
    expect(provider.at(1).stocked).toEqual([]);
  });

  it("case 52: are on the shelf before the first command, each at its place, in one call", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    folder.put("a/deep/er/x.md", "x");
    again();
    await bash("true");
    expect(sent(provider.at(1))).toEqual([
      {
        isEmptied: true,
        remove: ["skills.manifest"],
        write: ["skills/a/SKILL.md", "skills/a/deep/er/x.md", "skills.manifest"],
      },
    ]);
    expect(provider.at(1).commands).toHaveLength(1);
  });

  it("case 20: are sent once for all calls", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    again();
    await Promise.all([bash("a"), bash("b")]);
    again();
    await bash("c");
    expect(provider.at(1).stocked).toHaveLength(1);
  });

  it("case 58: are not sent again to a sandbox of an earlier turn that has them", async () => {
    const provider = new FakeProvider();
    const { folder, again, bash } = lab(provider);
    folder.skill("a");
    again();
    await bash("true");
    const { id, boundDigest } = provider.at(1);
    const later = sessionLab(
      {
        skills: usedShelf(folder),
        remembered: {
          reference: { id, boundDigest, generation: 1, dependencies: null },
          base: null,
        },
      },
      provider,
    );
    await later.bash("true");
    expect(provider.found).toEqual([id]);
    expect(provider.at(1).stocked).toHaveLength(1);
  });

  it("case 57: lose in the sandbox what they lost on the host, and nothing else is sent", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    folder.skill("b");
    folder.put("a/x", "x");
    again();
    await bash("true");
    rmSync(path.join(folder.root, "a/x"));
    rmSync(path.join(folder.root, "b"), { recursive: true });
    again();
    await bash("true");
    expect(shelved(provider.at(1))).toEqual(["/shelf/skills/a/SKILL.md"]);
    expect(sent(provider.at(1)).at(-1)).toEqual({
      isEmptied: false,
      remove: ["skills.manifest", "skills/a/x", "skills/b/SKILL.md"],
      write: ["skills.manifest"],
    });
  });

  it("case 57: all go where the last one went", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    again();
    await bash("true");
    rmSync(path.join(folder.root, "a"), { recursive: true });
    again();
    await bash("true");
    expect(shelved(provider.at(1))).toEqual([]);
  });

  it("case 56: keep what may be run, and a change of that alone is a change", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    const script = folder.put("a/scripts/x.sh", "#!/bin/sh\n", 0o755);
    const modes = () =>
      provider
        .at(1)
        .stocked.at(-1)
        ?.write.map((one) => [one.path, one.isExecutable]);
    again();
    await bash("true");
    expect(modes()).toContainEqual(["skills/a/scripts/x.sh", true]);
    chmodSync(script, 0o644);
    again();
    await bash("true");
    expect(modes()).toEqual([
      ["skills/a/scripts/x.sh", false],
      ["skills.manifest", false],
    ]);
  });

  it("case 59: are the same to the byte, however big, and in calls of some megabytes", async () => {
    const { provider, folder, again, bash } = lab();
    const bytes = Buffer.alloc(
      5 << 20,
      Uint8Array.from({ length: 256 }, (_, at) => at),
    );
    folder.skill("a");
    folder.put("a/asset-1", bytes);
    folder.put("a/asset-2", bytes);
    again();
    await bash("true");
    expect(provider.at(1).files.get("/shelf/skills/a/asset-2")?.equals(bytes)).toBe(true);
    expect(sent(provider.at(1)).map(({ write }) => write.length)).toEqual([2, 1, 1]);
  });

  it.each([
    ["none", undefined],
    ["a broken one", "writ-skills 1\nhalf"],
  ])("begin with an empty shelf where there is %s to say what is there", async (_, text) => {
    const provider = new FakeProvider();
    const { folder, again, bash } = lab(provider, true);
    provider.at(1).files.set("/shelf/skills/stranger/x", Buffer.from("x"));
    if (text !== undefined) provider.at(1).files.set("/shelf/skills.manifest", Buffer.from(text));
    folder.skill("a");
    again();
    await bash("true");
    expect(shelved(provider.at(1))).toEqual(["/shelf/skills/a/SKILL.md"]);
  });

  it("leave no manifest where a sync was cut off, so that the next one begins anew", async () => {
    const { provider, folder, again, bash } = lab();
    folder.skill("a");
    folder.put("a/1", Buffer.alloc(5 << 20));
    folder.put("a/2", "x");
    again();
    provider.onCreate = ({ shelf, faults }) => {
      if (shelf === null) return;
      const { stock } = shelf;
      let calls = 0;
      Object.assign(shelf, {
        stock: (...call: Parameters<typeof stock>) => {
          calls += 1;
          if (calls === 2) faults.file.push(new SessionError("unavailable", "HTTP 500"));
          return stock(...call);
        },
      });
    };
    await expect(bash("true")).rejects.toThrow("Cannot prepare the sandbox");
    expect(provider.at(1).files.has("/shelf/skills.manifest")).toBe(false);
    await bash("true");
    expect(sent(provider.at(1)).at(-2)).toMatchObject({ isEmptied: true });
    expect(shelved(provider.at(1))).toHaveLength(3);
  });

  it("stay away from a sandbox that has no shelf", async () => {
    const { provider, folder, again, bash } = lab();
    provider.onCreate = (sandbox) => {
      sandbox.shelf = null;
    };
    folder.skill("a");
    again();
    await bash("true");
    expect(provider.at(1).stocked).toEqual([]);
  });
});

function usedShelf(folder: SkillFolder): SkillShelf {
  const shelf = new SkillShelf();
  shelf.use(folder.look().skills);
  return shelf;
}

describe("readFile of a skill", () => {
  const AT = "$WRIT_SHELF/skills/a/x.md";

  it("case 42: reads on the host while there is no sandbox, and boots none", async () => {
    const { provider, folder, again, tool } = lab();
    folder.skill("a");
    folder.put("a/x.md", "one\ntwo\n");
    again();
    const { value } = await tool("readFile", { path: AT, offset: 2 });
    expect(value).toMatchObject({ path: AT, content: "two\n", totalLines: 2 });
    expect(provider.created).toEqual([]);
  });

  it("case 43: goes to the sandbox for what the host has not", async () => {
    const { provider, folder, again, tool } = lab();
    folder.skill("a");
    again();
    provider.onCreate = (sandbox) => {
      const { shelf } = sandbox;
      if (shelf !== null) Object.assign(shelf, { stock: async () => {} });
      sandbox.files.set("/shelf/skills/a/x.md", Buffer.from("made"));
    };
    expect((await tool("readFile", { path: AT })).value).toMatchObject({ content: "made" });
    expect(provider.created).toHaveLength(1);
  });

  it("case 44: reads in the sandbox where there is one to be found again, whatever the host has", async () => {
    const provider = new FakeProvider();
    const { folder, again, tool } = lab(provider, true);
    const { shelf } = provider.at(1);
    if (shelf !== null) Object.assign(shelf, { stock: async () => {} });
    provider.at(1).files.set("/shelf/skills/a/x.md", Buffer.from("in the sandbox"));
    folder.skill("a");
    folder.put("a/x.md", "on the host");
    again();
    expect((await tool("readFile", { path: AT })).value).toMatchObject({
      content: "in the sandbox",
    });
    expect(provider.found).toEqual(["sbx_old"]);
    expect(provider.created).toEqual([]);
  });

  it.each([
    ["case 49: a folder", "$WRIT_SHELF/skills/a/sub", "no plain file"],
    ["case 47: a way out", "$WRIT_SHELF/skills/../../etc/passwd", "leads out of the shelf"],
    ["bytes that are no text", "$WRIT_SHELF/skills/a/bin", "not text"],
  ])("%s is refused, and nothing is booted", async (_, at, expected) => {
    const { provider, folder, again, tool } = lab();
    folder.skill("a");
    folder.put("a/sub/x", "x");
    folder.put("a/bin", Buffer.from([0xff, 0xfe]));
    again();
    await expect(tool("readFile", { path: at })).rejects.toThrow(expected);
    expect(provider.created).toEqual([]);
  });

  it("is on the host also later where the sandbox has no shelf", async () => {
    const { provider, folder, again, tool, bash } = lab();
    provider.onCreate = (sandbox) => {
      sandbox.shelf = null;
    };
    folder.skill("a");
    folder.put("a/x.md", "on the host");
    again();
    await bash("true");
    expect((await tool("readFile", { path: AT })).value).toMatchObject({ content: "on the host" });
    await expect(tool("listDir", { path: "$WRIT_SHELF" })).rejects.toThrow("has no shelf");
  });
});
