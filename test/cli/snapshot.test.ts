import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath } from "../../src/policy/index.ts";
import { openSnapshotStore } from "../../src/session/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writ } from "./support/cli-world.ts";

const snapshot = (home: string, ...args: string[]) => writ(["snapshot", ...args], "/repo", home);

const IDS = ["aaaa000000000000", "aabb000000000000"];

/** A home with two snapshots, and what lies in their folders. */
function homeWithTwo() {
  const home = temporaryFolder();
  const store = openSnapshotStore(parseAbsolutePath(home));
  for (const [index, id] of IDS.entries()) {
    store.put({
      ...{ id, profileHash: String(index).repeat(64), provider: "local", runtime: "machine" },
      createdAt: Date.UTC(2026, 0, 1, 12, index),
      dependencies: ["hello@1.0.0", "\u001b[2Jwords@latest"],
      bytes: 1_500_000,
    });
    mkdirSync(path.join(home, "snapshots", id, "bin"), { recursive: true });
  }
  store.close();
  return home;
}

const isThere = (home: string, id: string) => existsSync(path.join(home, "snapshots", id));

const homeWith = (text: string) => temporaryFolder({ "config.toml": text });

describe("writ snapshot build", () => {
  it.each([
    ["no settings", "", /asks for nothing, expected packages or commands/],
    ["an empty table", "[dependencies]\nnetwork = true", /asks for nothing/],
    ["packages without the network", '[dependencies]\nnpm = { a = "1.0.0" }', /network = true/],
    [
      "a version that is a place",
      '[dependencies]\nnetwork = true\nnpm = { a = "file:x" }',
      /npm\.a/,
    ],
    ["a command line", '[dependencies]\npostinstall = ["make all"]', /postinstall/],
    ["a key that nobody knows", "[dependencies]\npip = []", /unknown key "pip"/],
  ])("refuses %s with a sentence, and makes nothing", async (_, text, message) => {
    const home = homeWith(text);
    const { status, out, err } = await snapshot(home, "build");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(message);
    expect(existsSync(path.join(home, "snapshots.sqlite"))).toBe(false);
  });

  it("is told by doctor as well, where the settings cannot be meant", async () => {
    const home = homeWith('[dependencies]\nnpm = { a = "1.0.0" }');
    const { out } = await writ(["doctor"], temporaryFolder(), home);
    expect(out).toContain("network = true");
  });
});

describe("writ snapshot", () => {
  it.each([
    [["snapshot"]],
    [["snapshot", "make"]],
    [["snapshot", "build", "now"]],
    [["snapshot", "build", "--json"]],
    [["snapshot", "list", "--force"]],
    [["snapshot", "list", "all"]],
    [["snapshot", "remove"]],
    [["snapshot", "remove", "--all", "aaaa"]],
  ])("refuses %j with a sentence and the way to the help", async (args) => {
    const { status, err } = await writ(args, "/repo", temporaryFolder());
    expect(status).toBe(2);
    expect(err).toMatch(/^writ: Cannot .*expected .*\nRun: writ snapshot --help\n$/);
  });

  it("lists the newest first, a line each, and nothing that a terminal obeys", async () => {
    const { status, out, err } = await snapshot(homeWithTwo(), "list");
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out.split("\n")).toEqual([
      "id                built (UTC)            MB  uses  dependencies",
      "aabb000000000000  2026-01-01 12:01      1.5     0  hello@1.0.0 \\u{1b}[2Jwords@l…",
      "aaaa000000000000  2026-01-01 12:00      1.5     0  hello@1.0.0 \\u{1b}[2Jwords@l…",
      "",
    ]);
  });

  it("gives all of it as JSON", async () => {
    const { out } = await snapshot(homeWithTwo(), "list", "--json");
    expect(JSON.parse(out)).toMatchObject([{ id: IDS[1], uses: 0 }, { id: IDS[0] }]);
  });

  it("finds nothing where there is nothing, and makes nothing by looking", async () => {
    const home = temporaryFolder();
    expect(await snapshot(home, "list")).toEqual({ status: 0, out: "", err: "" });
    expect(JSON.parse((await snapshot(home, "list", "--json")).out)).toEqual([]);
    expect((await snapshot(home, "remove", "--all")).status).toBe(0);
    expect((await snapshot(home, "remove", "aaaa")).status).toBe(1);
    expect(existsSync(path.join(home, "snapshots.sqlite"))).toBe(false);
  });

  it("removes what is named by its beginning, with its folder", async () => {
    const home = homeWithTwo();
    expect(await snapshot(home, "remove", "aaaa")).toEqual({ status: 0, out: "", err: "" });
    expect(IDS.map((id) => isThere(home, id))).toEqual([false, true]);
    expect((await snapshot(home, "remove", "--all")).status).toBe(0);
    expect(IDS.map((id) => isThere(home, id))).toEqual([false, false]);
  });

  it.each([
    ["that is not there", "cccc", "there is no such snapshot"],
    ["that two begin with", "aa", "2 begin like that"],
    ["that is empty", "", "there is no such snapshot"],
    ["that leads elsewhere", "../..", "there is no such snapshot"],
  ])("refuses an id %s, and removes none of those beside it", async (_, name, what) => {
    const home = homeWithTwo();
    const { status, err } = await snapshot(home, "remove", IDS[0] ?? "", name);
    expect([status, err]).toEqual([1, expect.stringContaining(what)]);
    expect(IDS.map((id) => isThere(home, id))).toEqual([true, true]);
  });

  it("refuses to remove what a sandbox stands on", async () => {
    const home = homeWithTwo();
    const store = openSnapshotStore(parseAbsolutePath(home));
    const giveBack = store.use(IDS[0] ?? "");
    const { status, err } = await snapshot(home, "remove", IDS[0] ?? "");
    expect([status, err]).toEqual([1, expect.stringContaining("sandboxes use it")]);
    expect(isThere(home, IDS[0] ?? "")).toBe(true);
    giveBack?.();
    store.close();
    expect((await snapshot(home, "remove", IDS[0] ?? "")).status).toBe(0);
  });
});
