import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../../src/policy/index.ts";
import { pathIdentities } from "../../../src/sandbox/run/path-identity.ts";
import { removeRemade } from "../../../src/sandbox/run/remove-remade.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A folder that was there, and below it what bubblewrap makes to mount on. */
function remade() {
  const base = temporaryFolder({ "of the host": "" });
  const socket = parseAbsolutePath(path.join(base, "made/on/the/way/socket"));
  fs.mkdirSync(path.dirname(socket), { recursive: true });
  fs.writeFileSync(socket, "", { mode: 0o444 });
  const sinceMs = fs.lstatSync(path.join(base, "made")).birthtimeMs;
  const before = new Map([[socket, "a socket"]]);
  return { base, socket, since: { before, sinceMs } };
}

/** Later than all that was made so far, by more than a clock may be off. */
const LATER_MS = 1000;

describe("removeRemade", () => {
  it("removes an empty file and the folders on the way to it", () => {
    const { base, since } = remade();
    removeRemade(since);
    expect(fs.readdirSync(base)).toEqual(["of the host"]);
  });

  it("removes an empty folder", () => {
    const { base, socket, since } = remade();
    fs.unlinkSync(socket);
    const folder = parseAbsolutePath(path.dirname(socket));
    removeRemade({ ...since, before: new Map([[folder, "a folder"]]) });
    expect(fs.existsSync(path.join(base, "made"))).toBe(false);
  });

  it("keeps a folder with something in it", () => {
    const { base, since } = remade();
    fs.writeFileSync(path.join(base, "made/on/file"), "");
    removeRemade(since);
    expect(fs.readdirSync(path.join(base, "made/on"))).toEqual(["file"]);
  });

  it("removes nothing behind a link that came in the way", () => {
    const { base, socket, since } = remade();
    fs.renameSync(path.join(base, "made/on"), path.join(base, "elsewhere"));
    fs.symlinkSync(path.join(base, "elsewhere"), path.join(base, "made/on"));
    removeRemade(since);
    expect(fs.existsSync(socket)).toBe(true);
  });

  it("keeps what was there when the back-end was started, however new it is", () => {
    const { socket, since } = remade();
    removeRemade({ ...since, before: pathIdentities([socket]) });
    expect(fs.existsSync(socket)).toBe(true);
  });

  it("keeps what was there before", () => {
    const { socket, since } = remade();
    removeRemade({ ...since, sinceMs: since.sinceMs + LATER_MS });
    expect(fs.existsSync(socket)).toBe(true);
  });

  it.each([
    ["has something in it", (at: string) => fs.writeFileSync(at, "text", { mode: 0o444 })],
    ["anybody may write", (at: string) => fs.writeFileSync(at, "")],
    ["is a link", (at: string) => fs.symlinkSync("/dev/null", at)],
  ])("keeps a file that %s", (_, make) => {
    const { socket, since } = remade();
    fs.rmSync(socket);
    make(socket);
    removeRemade(since);
    expect(fs.lstatSync(socket, { throwIfNoEntry: false })).toBeDefined();
  });
});
