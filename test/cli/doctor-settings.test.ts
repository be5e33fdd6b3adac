import { chmodSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { doctorReport } from "../../src/cli/commands/doctor-command.ts";
import { settingsReport } from "../../src/cli/policy/settings-report.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { writIn } from "./support/cli-world.ts";

const FACTS = { bwrap: undefined, arch: "x64", uid: 1000, primitives: [] } as const;

async function reportOf(files: Readonly<Record<string, string>>, env = {}) {
  const root = temporaryFolder(files);
  const report = await settingsReport({
    out: () => {},
    err: () => {},
    env: { WRIT_HOME: path.join(root, "home"), ...env },
    cwd: path.join(root, "project"),
    home: "/home/me",
    hostname: "host",
    platform: "linux",
  });
  const shown = doctorReport(FACTS, "namespaces", report);
  return { root, report, lines: shown.trimEnd().split("\n") };
}

describe("what writ doctor says about settings", () => {
  it("is where each file was looked for, where there is none", async () => {
    const { root, report } = await reportOf({});
    expect(report).toEqual({
      places: [
        { whose: "user", place: `${root}/home/config.toml`, found: false },
        { whose: "project", place: `writ.toml in ${root}/project or above`, found: false },
        { whose: "operator", place: "/etc/writ/requirements.toml", found: false },
      ],
      unknownKeys: [],
    });
  });

  it("is which files were read", async () => {
    const { root, lines } = await reportOf({
      "home/config.toml": "",
      "project/writ.toml": 'default_permissions = ":read-only"',
    });
    expect(lines).toEqual([
      "Commands can be confined on this host: tier namespaces.",
      "Settings",
      `  read     user      ${root}/home/config.toml`,
      `  read     project   ${root}/project/writ.toml`,
      "  none     operator  /etc/writ/requirements.toml",
    ]);
  });

  it("is every key that nothing heeds, with its file, however many there are", async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `unheard_of_${index}`);
    const { root, lines } = await reportOf({
      "home/config.toml": keys.map((key) => `${key} = 1`).join("\n"),
    });
    expect(lines).toContain(`  unknown  in ${root}/home/config.toml, heeded by nothing:`);
    const text = lines.slice(6).map((line) => line.trim());
    expect(text.join(" ").split(", ")).toEqual(keys);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("shows a key that a terminal would obey instead of sending it", async () => {
    const { lines } = await reportOf({ "home/config.toml": '"\\u001b[2J" = 1' });
    expect(lines.at(-1)).toBe("           \\u{1b}[2J");
  });

  it.each([
    ["a setting", { "home/config.toml": 'sandbox_mode = "none"' }, "config.toml: sandbox_mode"],
    ["a profile", { "home/config.toml": "[permissions.x]\nfoo = 1" }, 'member "foo"'],
    ["a project's file", { "project/writ.toml": 'model = "m"' }, 'unknown key "model"'],
  ])("is what is wrong with %s", async (_, files, message) => {
    const { report, lines } = await reportOf(files);
    expect(report.problem).toContain(message);
    expect(lines.find((line) => line.startsWith("  broken   "))).toContain("Cannot read");
    expect(lines.slice(5).join(" ").replace(/\s+/g, " ")).toContain(report.problem);
  });

  it.each([
    ["a default that there is not", { "home/config.toml": 'default_permissions = "x"' }, '"x"'],
    [
      "a profile that nothing selects yet",
      { "home/config.toml": '[permissions.x.filesystem]\nsrc = "read"' },
      'profile "x"',
    ],
    [
      "a profile of a project",
      { "project/writ.toml": '[permissions.x]\nextends = "y"' },
      'extends "y"',
    ],
  ])("is what no command could be run under: %s", async (_, files, message) => {
    const { report } = await reportOf(files);
    expect(report.problem).toContain("Cannot use profile");
    expect(report.problem).toContain(message);
  });

  it("is that no command runs where the file system makes no folder, whatever its modes say", async () => {
    const world = { env: { WRIT_HOME: "/proc/x" }, home: "/home/me", folder: temporaryFolder() };
    const { status, out } = await writIn(["doctor"], world);
    expect(status).toBe(1);
    expect(out.replace(/\s+/g, " ")).toContain('broken Cannot keep anything in "/proc/x"');
  });

  it("leaves nothing where it tried to keep something", async () => {
    const root = temporaryFolder({ "project/a": "" });
    const world = { env: { WRIT_HOME: `${root}/home` }, home: "/home/me" };
    await writIn(["doctor"], { ...world, folder: `${root}/project` });
    expect(readdirSync(root)).toEqual(["project"]);
  });

  it.each([
    ["a file", "home"],
    ["below a file", "home/deep/.writ"],
  ])("is that no command runs where nothing can be kept: %s", async (_, at) => {
    const root = temporaryFolder({ home: "", "project/a": "" });
    const world = { env: { WRIT_HOME: path.join(root, at) }, home: "/home/me" };
    const { status, out } = await writIn(["doctor"], { ...world, folder: `${root}/project` });
    expect(status).toBe(1);
    expect(out.replace(/\s+/g, " ")).toContain(
      `broken Cannot keep anything in "${path.join(root, at)}": "${root}/home" is no folder that this user can write, expected one. Set WRIT_HOME to one`,
    );
  });

  it("is that no command runs where the receipts that are kept are no store", async () => {
    const root = temporaryFolder({ "home/receipts.sqlite": "x".repeat(4096), "project/a": "" });
    chmodSync(path.join(root, "home/receipts.sqlite"), 0o600);
    const world = { env: { WRIT_HOME: path.join(root, "home") }, home: "/home/me" };
    const { status, out } = await writIn(["doctor"], { ...world, folder: `${root}/project` });
    expect(status).toBe(1);
    expect(out.replace(/\s+/g, " ")).toContain(
      `broken Cannot open "${root}/home/receipts.sqlite": it is damaged, expected a store of writ's.`,
    );
  });

  it("is that there is no place for the user's", async () => {
    const { report } = await reportOf({}, { WRIT_HOME: "relative" });
    expect(report.problem).toContain("not an absolute path");
    expect(report.places[0]).toEqual({
      whose: "user",
      place: "$WRIT_HOME/config.toml",
      found: false,
    });
  });
});
