import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsFolder, openAnchorsFolder } from "../../../src/exec/anchors/anchor-folder.ts";
import { makeAnchorFolder } from "../../../src/exec/anchors/make-anchor-folder.ts";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { identityOf } from "../../../src/sandbox/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const baseIn = (folder: string) => anchorsFolder(parseAbsolutePath(path.join(folder, "records")));

/** What an owner left: a record, and a folder with something in it. */
function leave(base: string, name: string, owner: string | undefined): void {
  mkdirSync(path.join(base, name, "home/inner"), { recursive: true });
  writeFileSync(path.join(base, name, "home/inner/file"), "");
  writeFileSync(path.join(base, `${name}-owner-${owner}`), "");
}

describe("the folder of all anchors", () => {
  it("is refused where it is a link", () => {
    const folder = temporaryFolder();
    const base = baseIn(folder);
    symlinkSync(folder, base);
    expect(() => openAnchorsFolder(base)).toThrow(
      expect.objectContaining({ code: "unenforceable" }),
    );
  });

  it("is refused where others can write to it", () => {
    const base = baseIn(temporaryFolder());
    mkdirSync(base);
    chmodSync(base, 0o777);
    expect(() => openAnchorsFolder(base)).toThrow(/only this user can write/);
  });

  it("is refused where it cannot be made", () => {
    const base = baseIn(path.join(temporaryFolder(), "missing"));
    expect(() => openAnchorsFolder(base)).toThrow(/ENOENT/);
  });
});

describe("the folder of an anchor", () => {
  it("is removed with its record, and never anything that a link in it leads to", async () => {
    const folder = temporaryFolder({ "outside/file": "kept" });
    const base = baseIn(folder);
    const made = await makeAnchorFolder(base);
    symlinkSync(path.join(folder, "outside"), path.join(made.home, "link"));
    mkdirSync(path.join(made.tmp, "closed/inner"), { recursive: true });
    symlinkSync(path.join(folder, "outside"), path.join(made.tmp, "closed/inner/link"));
    await made.remove();
    expect(readdirSync(base)).toEqual([]);
    expect(existsSync(path.join(folder, "outside/file"))).toBe(true);
  });

  it("of a dead owner is removed by the next one, that of a living one is not", async () => {
    const base = baseIn(temporaryFolder());
    openAnchorsFolder(base);
    const alive = identityOf(process.pid);
    const dead = alive?.replace(/^\d+-\d+/, `${process.pid}-1`);
    leave(base, "aaaa", dead);
    leave(base, "bbbb", alive);
    writeFileSync(path.join(base, `cccc-owner-${dead}`), "");
    const made = await makeAnchorFolder(base);
    const names = new Set(readdirSync(base).map((name) => name.split("-")[0]));
    expect(names).toEqual(new Set(["bbbb", path.basename(path.dirname(made.home))]));
  });

  it("is removed by the next one where it lies, whatever a record or a link calls one", async () => {
    const folder = temporaryFolder({ "outside/file": "kept", "beside/file": "kept" });
    const base = baseIn(folder);
    openAnchorsFolder(base);
    const dead = identityOf(process.pid)?.replace(/^\d+-\d+/, `${process.pid}-1`);
    writeFileSync(path.join(base, `..-owner-${dead}`), "");
    symlinkSync(path.join(folder, "outside"), path.join(base, "aaaa"));
    writeFileSync(path.join(base, `aaaa-owner-${dead}`), "");
    await makeAnchorFolder(base);
    expect(existsSync(path.join(folder, "outside/file"))).toBe(true);
    expect(existsSync(path.join(folder, "beside/file"))).toBe(true);
    expect(existsSync(path.join(base, "aaaa"))).toBe(false);
  });
});
