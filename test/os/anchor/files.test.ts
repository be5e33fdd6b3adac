/** File operations of an anchor answer as its commands do, on the same paths and under the same policy. */
import { symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { SandboxMode } from "../../../src/policy/index.ts";
import {
  answersIn,
  askFiles,
  commandFor,
  type Probe,
  type Verb,
} from "../exec-files/support/alike-probes.ts";
import { USERS } from "../support/sandbox-user.ts";
import { type AnchorLab, anchorLab, namesIn, sh } from "./support/anchor-lab.ts";

const MODES: readonly SandboxMode[] = ["workspace-write", "read-only", "danger-full-access"];

describe.each(USERS)("as %s, files and commands", (user) => {
  it.each(MODES)("answer alike in every anchor and in none, under %s", async (mode) => {
    const lab = await anchorLab(user);
    const { probes } = await layOut(lab);
    for (const anchor of ["a", "b", null]) {
      const { stdout, stderr } = await lab.run(anchor, commandFor(probes), mode);
      expect(stderr).toBe("");
      const { sandbox } = lab.request(anchor, [], mode);
      const direct = await askFiles(lab.executor.files, { sandbox, anchor }, probes);
      expect(told(probes, direct)).toEqual(told(probes, answersIn(stdout)));
    }
  });

  it("find the anchor's own and nothing of another's, also through links", async () => {
    const lab = await anchorLab(user);
    const { mine, theirs } = await layOut(lab);
    const { sandbox } = lab.request("a", []);
    const ask = (anchor: string | null, ...asked: readonly [Verb, string][]) => {
      const probes = asked.map(([verb, file]) => ({ verb, path: file }));
      return askFiles(lab.executor.files, { sandbox, anchor }, probes);
    };
    const own = [mine.home, mine.tmp].map((folder): [Verb, string] => ["read", `${folder}/f`]);
    expect(await ask("a", ...own, ["create", `${mine.home}/new`])).toEqual(["ok", "ok", "ok"]);
    const answers = await ask(
      "a",
      ["read", `${theirs.home}/f`],
      ["list", theirs.home],
      ["create", `${theirs.home}/new`],
      ["read", `${mine.home}/theirs/f`],
      ["list", `${mine.home}/theirs`],
      ["read", `${mine.home}/their-file`],
      ["create", `${mine.home}/theirs/new`],
    );
    expect(answers).not.toContain("ok");
    const none = await ask(null, ...own, ["list", mine.home], ["create", `${mine.home}/new`]);
    expect(none).not.toContain("ok");
    expect(namesIn(theirs.home)).toEqual(["d", "f"]);
  });

  it("know nothing of an anchor that is closed, and of the next one of its name all", async () => {
    const lab = await anchorLab(user);
    const { mine } = await layOut(lab);
    const { sandbox } = lab.request("a", []);
    const before: Probe = { verb: "read", path: `${mine.home}/f` };
    const under = { sandbox, anchor: "a" };
    expect(await askFiles(lab.executor.files, under, [before])).toEqual(["ok"]);
    await lab.anchors.close("a");
    const asking = askFiles(lab.executor.files, under, [before]);
    await expect(asking).rejects.toMatchObject({ code: "unknownAnchor" });
    await expect(lab.run("a", sh("true"))).rejects.toMatchObject({ code: "unknownAnchor" });
    const home = fileURLToPath((await lab.anchors.open({ anchorId: "a", ids: {} })).home);
    const now: Probe = { verb: "create", path: `${home}/f` };
    expect(await askFiles(lab.executor.files, under, [now])).toEqual(["ok"]);
    expect(await askFiles(lab.executor.files, under, [before])).not.toEqual(["ok"]);
  });
});

function told(probes: readonly Probe[], answers: readonly string[]): string[] {
  return probes.map(({ verb, path: file }, index) => `${verb} ${file}: ${answers[index]}`);
}

const MAKE = sh('mkdir "$HOME/d" "$TMPDIR/d"; echo f | tee "$HOME/f" > "$TMPDIR/f"');

/** Two anchors with a file and a folder in each of their places, and links from one to the other. */
async function layOut(lab: AnchorLab) {
  const [mine, theirs] = [await foldersOf(lab, "a"), await foldersOf(lab, "b")];
  for (const anchor of ["a", "b"]) await lab.run(anchor, MAKE);
  const links = `ln -s ${theirs.home} "$HOME/theirs"; ln -s ${theirs.home}/f "$HOME/their-file"; ln -s f "$HOME/own"`;
  await lab.run("a", sh(links));
  const link = path.join(lab.place.workspace, "link");
  symlinkSync(mine.home, link);
  const folders = [mine, theirs].flatMap(({ home, tmp }) => [home, tmp]);
  const probes = [
    ...folders.flatMap((folder) => asking(["remove"], folder)),
    ...[...folders, `${mine.home}/theirs`, link].flatMap(inFolder),
    ...asking(["stat", "read"], `${mine.home}/their-file`),
    ...asking(["stat", "read"], `${mine.home}/own`),
    ...asking(["stat", "list"], path.dirname(mine.home)),
    ...asking(["stat", "list"], path.dirname(path.dirname(mine.home))),
  ];
  return { mine, theirs, probes };
}

function inFolder(folder: string): Probe[] {
  return [
    ...asking(["stat", "list"], folder),
    ...asking(["stat", "read", "write"], `${folder}/f`),
    ...asking(["stat", "list"], `${folder}/d`),
    ...asking(["stat", "create", "mkdir"], `${folder}/new`),
    ...asking(["stat", "read"], `${folder}/missing`),
  ];
}

function asking(verbs: readonly Verb[], file: string): Probe[] {
  return verbs.map((verb) => ({ verb, path: file }));
}

async function foldersOf({ anchors }: AnchorLab, anchorId: string) {
  const { home, tmp } = await anchors.open({ anchorId, ids: {} });
  return { home: fileURLToPath(home), tmp: fileURLToPath(tmp) };
}
