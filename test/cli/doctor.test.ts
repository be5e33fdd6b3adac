import { describe, expect, it } from "vitest";
import { doctorReport } from "../../src/cli/commands/doctor-command.ts";
import type { HostFacts, Primitive } from "../../src/sandbox/index.ts";
import { writ } from "./support/cli-world.ts";

const NEEDED = [
  "bubblewrap",
  "bubblewrap options",
  "user namespaces",
  "network namespaces",
  "process namespaces",
  "other namespaces",
  "system call filters",
];
const USEFUL = ["control groups", "util-linux", "pseudo-terminals", "overlay mounts"];
const ABOUT = ["system", "user", "container", "WSL", "AppArmor", "mounts of /", "core files"];

const APPARMOR_FIX =
  "sudo apt-get install apparmor-profiles && sudo install -m 644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict";

function hostWith(changes: Readonly<Record<string, Partial<Primitive>>> = {}): HostFacts {
  const make = (level: Primitive["level"]) => (name: string) => ({
    name,
    level,
    present: true,
    detail: `detail of ${name}`,
    ...changes[name],
  });
  return {
    bwrap: "/usr/bin/bwrap",
    arch: "x64",
    uid: 1000,
    primitives: [
      ...NEEDED.map(make("needed")),
      ...USEFUL.map(make("useful")),
      ...ABOUT.map(make("about")),
    ],
  };
}

const linesOf = (facts: HostFacts, tier: string) => doctorReport(facts, tier).trimEnd().split("\n");

describe("doctorReport", () => {
  it("says first whether commands can be confined, then one line for each primitive", () => {
    const lines = linesOf(hostWith(), "namespaces");
    expect(lines[0]).toBe("Commands can be confined on this host: tier namespaces.");
    for (const name of [...NEEDED, ...USEFUL]) {
      expect(lines.filter((line) => line.startsWith(`  ok       ${name}  `))).toHaveLength(1);
    }
    expect(lines.at(-1)).toContain("core files: detail of core files");
  });

  it("names the feature that a lack costs", () => {
    const lack = { present: false, detail: "none", feature: "limits" };
    const lines = linesOf(hostWith({ "control groups": lack }), "namespaces");
    expect(lines).toContain("  missing  control groups       none (for limits)");
  });

  it("keeps a long fix something to paste", () => {
    const lack = { present: false, detail: "no", fix: APPARMOR_FIX };
    const report = doctorReport(hostWith({ "user namespaces": lack }), "none");
    const [, from = ""] = report.split("      fix  ");
    const pasted = from.slice(0, from.indexOf("\n  ok"));
    expect(pasted.split("\n").length).toBeGreaterThan(1);
    expect(pasted.replace(/ \\\n\s*/g, " ").replace(/&&\n\s*/g, "&& ")).toBe(APPARMOR_FIX);
  });

  it("fits a screen when much is missing at length", () => {
    const long = "a very long explanation ".repeat(12);
    const lack = (fix: string) => ({ present: false, detail: long, fix });
    const facts = hostWith({
      "user namespaces": lack(APPARMOR_FIX),
      "control groups": lack("systemd-run --user --scope -p Delegate=yes writ ..."),
      system: { detail: "x".repeat(100) },
    });
    const lines = linesOf(facts, "none");
    expect(lines[0]).toContain("cannot be confined");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.filter((line) => line.endsWith("…")).length).toBeGreaterThan(0);
  });

  it("shows what a terminal would obey instead of sending it", () => {
    const report = doctorReport(hostWith({ system: { detail: "\u001b[2J\nok" } }), "none");
    expect(report).not.toContain("\u001b");
    expect(report).toContain("\\u{1b}[2J\\u{a}ok");
  });

  it("reports a host of another system", () => {
    const only = { name: "Linux", level: "needed" as const, present: false, detail: "no sandbox" };
    const lines = linesOf({ ...hostWith(), primitives: [only] }, "none");
    expect(lines).toHaveLength(3);
  });
});

describe("writ doctor", () => {
  it("has one sentence for what it does not know", async () => {
    expect(await writ(["doctor", "--jsn"])).toMatchObject({ status: 2, out: "" });
  });
});
