/** Files of an anchor: what a command of it finds there, file operations find, wherever they run. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { AnchorOperations, Executor, FileOperations } from "../../../src/exec/index.ts";
import { uriOfNative } from "../../../src/policy/index.ts";
import type { ContractOptions, MakeExecutor } from "./executor-contract.ts";
import { collected } from "./support/collected.ts";
import {
  type ContractPlace,
  contractPlace,
  intentOf,
  requestOf,
} from "./support/contract-place.ts";

type AtPath = Parameters<FileOperations["readFile"]>[0];

export function anchoredFileBehaviours(make: MakeExecutor, { anchors }: ContractOptions): void {
  if (anchors) {
    ownFiles(make);
    otherFiles(make);
    overFiles(make);
    return;
  }
  it("refuses file operations in an anchor, and does nothing elsewhere instead", async () => {
    const { files } = await make();
    const place = contractPlace();
    const at = atIn(place, "a");
    const file = path.join(place.workspace, "file");
    const unknown = { code: "unknownAnchor" };
    await expect(files.writeFile(at(file), Buffer.from("x"))).rejects.toMatchObject(unknown);
    await expect(files.open(at(file), "replace")).rejects.toMatchObject(unknown);
    expect(readdirSync(place.workspace)).toEqual([]);
  });
}

function ownFiles(make: MakeExecutor): void {
  it("writes in the home and tmp of an anchor what its commands read, and the reverse", async () => {
    const lab = await anchored(make);
    const { home, tmp, at } = lab;
    const { files } = lab.executor;
    for (const folder of [home, tmp]) {
      await files.writeFile(at(`${folder}/mine`), Buffer.from("by files\n"));
      expect(await run(lab, `cat ${folder}/mine; echo by sh > ${folder}/theirs`)).toBe(
        "by files\n",
      );
      expect(textOf(await files.readFile(at(`${folder}/theirs`)))).toBe("by sh\n");
    }
  });

  it("makes, lists, walks, copies, opens and removes there", async () => {
    const { executor, home, tmp, at } = await anchored(make);
    const { files } = executor;
    await files.createDirectory(at(`${home}/a/b`), { recursive: true });
    const file = await files.open(at(`${home}/a/b/file`), "replace");
    await file.write(0, Buffer.from("text"));
    await file.close();
    await files.copy(at(`${home}/a`), at(`${tmp}/copy`), { recursive: true });
    expect(await files.readDirectory(at(`${tmp}/copy`))).toEqual([
      { fileName: "b", isDirectory: true, isFile: false },
    ]);
    expect((await files.walk(at(tmp), WALK)).entries).toHaveLength(3);
    expect(await files.getMetadata(at(`${tmp}/copy/b/file`))).toMatchObject({ size: 4 });
    expect(await files.canonicalize(at(`${tmp}/copy/../copy`))).toBe(uriOfNative(`${tmp}/copy`));
    await files.remove(at(`${home}/a`), { recursive: true, force: false });
    expect(readdirSync(home)).toEqual([]);
  });

  it("opens them no further than the policy opens temporary files", async () => {
    const lab = await anchored(make);
    const { executor, place, home } = lab;
    await run(lab, `echo kept > ${home}/file`);
    const at = atIn(place, "a", "read-only");
    expect(textOf(await executor.files.readFile(at(`${home}/file`)))).toBe("kept\n");
    const writing = executor.files.writeFile(at(`${home}/file`), Buffer.from("x"));
    await expect(writing).rejects.toMatchObject({ code: "readOnly" });
  });
}

function otherFiles(make: MakeExecutor): void {
  it("hides the files of an anchor from other anchors and from none, also behind links", async () => {
    const lab = await anchored(make);
    const { anchors, place, home } = lab;
    const { files } = lab.executor;
    const other = fileURLToPath((await anchors.open({ anchorId: "b", ids: {} })).home);
    await run(lab, `echo mine > ${home}/file`);
    await run(lab, `ln -s ${home} ${other}/link; ln -s ${home} link`, "b");
    for (const anchor of ["b", null]) {
      const at = atIn(place, anchor);
      const behind = anchor === null ? path.join(place.workspace, "link") : `${other}/link`;
      for (const folder of [home, behind]) {
        const refused = { name: "FileError" };
        await expect(files.readFile(at(`${folder}/file`))).rejects.toMatchObject(refused);
        await expect(files.readDirectory(at(folder))).rejects.toMatchObject(refused);
        const writing = files.writeFile(at(`${folder}/new`), Buffer.from("x"));
        await expect(writing).rejects.toMatchObject(refused);
      }
    }
    expect(readdirSync(home)).toEqual(["file"]);
  });
}

function overFiles(make: MakeExecutor): void {
  it("does nothing in an anchor that is not open", async () => {
    const { executor, anchors, place, home, at } = await anchored(make);
    const { files } = executor;
    const inside = path.join(place.workspace, "file");
    await files.writeFile(at(inside), Buffer.from("kept"));
    await anchors.close("a");
    for (const there of [at, atIn(place, "never")]) {
      const unknown = { name: "ExecError", code: "unknownAnchor" };
      await expect(files.readFile(there(inside))).rejects.toMatchObject(unknown);
      await expect(files.writeFile(there(`${home}/x`), Buffer.from("x"))).rejects.toMatchObject(
        unknown,
      );
      const gone = files.remove(there(inside), { recursive: false, force: true });
      await expect(gone).rejects.toMatchObject(unknown);
    }
    expect([existsSync(inside), existsSync(home)]).toEqual([true, false]);
  });

  it("closes with an anchor what is open in it", async () => {
    const { executor, anchors, home, at } = await anchored(make);
    const file = await executor.files.open(at(`${home}/file`), "replace");
    await file.write(0, Buffer.from("text"));
    await anchors.close("a");
    const writing = file.write(4, Buffer.from("more"));
    await expect(writing).rejects.toMatchObject({ code: "unknownAnchor" });
    await file.close();
  });
}

const WALK = {
  maxDepth: 8,
  maxDirectories: 100,
  maxEntries: 100,
  followDirectorySymlinks: false,
  pruneHiddenDirectories: false,
};

interface Anchored {
  readonly executor: Executor;
  readonly anchors: AnchorOperations;
  readonly place: ContractPlace;
  readonly home: string;
  readonly tmp: string;
  readonly at: (native: string) => AtPath;
}

/** An executor with the anchor "a". */
async function anchored(make: MakeExecutor): Promise<Anchored> {
  const executor = await make();
  const { anchors } = executor;
  if (anchors === undefined) throw new Error("the executor has no anchors");
  const place = contractPlace();
  const { home, tmp } = await anchors.open({ anchorId: "a", ids: {} });
  const [own, temporary] = [fileURLToPath(home), fileURLToPath(tmp)];
  return { executor, anchors, place, home: own, tmp: temporary, at: atIn(place, "a") };
}

function atIn(
  place: ContractPlace,
  anchor: string | null,
  mode: "workspace-write" | "read-only" = "workspace-write",
) {
  const sandbox = intentOf(mode, place);
  return (native: string): AtPath => ({
    path: uriOfNative(native),
    links: "follow",
    sandbox,
    anchor,
  });
}

/** What a script of an anchor prints. */
async function run({ executor, place }: Anchored, script: string, anchor = "a"): Promise<string> {
  const sandbox = intentOf("workspace-write", place);
  const request = requestOf(script, place, { anchor, sandbox });
  return (await collected(await executor.start(request))).stdout;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
