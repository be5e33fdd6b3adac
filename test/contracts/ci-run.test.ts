import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { usersOf } from "../os/support/users.ts";
import { ROOT } from "./support/repository.ts";
import { runProgram, scratchFolder, writePrograms } from "./support/run-program.ts";

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const report = (...statuses: string[]) =>
  JSON.stringify({
    testResults: [{ status: "passed", assertionResults: statuses.map((status) => ({ status })) }],
  });

const UNLOADED = JSON.stringify({ testResults: [{ status: "failed", assertionResults: [] }] });

describe("tools/count-tests.mjs", () => {
  /** Counts one report that was written by a step of this exit status. */
  function count(text: string | undefined, status?: number) {
    const file = path.join(folder, "report.json");
    if (text !== undefined) writeFileSync(file, text);
    const step = status === undefined ? file : `${file}=${status}`;
    return runProgram(process.execPath, [path.join(ROOT, "tools/count-tests.mjs"), step]);
  }

  it.each([
    ["passed tests", report("passed", "passed"), 0, "2 passed, 0 failed"],
    ["a report without a status", report("passed"), undefined, "1 passed, 0 failed"],
    ["failed tests", report("passed", "failed"), 1, "1 passed, 1 failed"],
    ["skipped tests as failed", report("passed", "skipped", "pending"), 0, "1 passed, 2 failed"],
    ["todo tests as failed", report("passed", "todo"), 0, "1 passed, 1 failed"],
    ["a file that did not load as failed", UNLOADED, 1, "0 passed, 1 failed"],
    ["a failed step whose tests passed as failed", report("passed"), 1, "1 passed, 1 failed"],
    ["a missing report as failed", undefined, 0, "0 passed, 1 failed"],
    ["a missing report of a failed step once", undefined, 1, "0 passed, 1 failed"],
    ["an empty report as failed", "", 0, "0 passed, 1 failed"],
    ["a report of another shape as failed", "[]", 0, "0 passed, 1 failed"],
    ["no tests as failed", report(), 0, "0 passed, 1 failed"],
  ])("counts %s", (_, text, status, line) => {
    const ran = count(text, status);
    expect(ran.stdout).toBe(`${line}\n`);
    expect(ran.status).toBe(line.endsWith(" 0 failed") ? 0 : 1);
  });

  it("names what failed, with its message", () => {
    const failed = { status: "failed", fullName: "writ holds", failureMessages: ["it did not"] };
    const passed = { status: "passed", fullName: "writ stands" };
    const text = JSON.stringify({
      testResults: [{ name: "a.test.ts", status: "failed", assertionResults: [failed, passed] }],
    });
    const { stderr } = count(text, 1);
    expect(stderr).toBe("FAILED a.test.ts: writ holds (failed)\nit did not\n");
  });
});

describe(".ci/run", () => {
  /** Runs it in a copy of the checkout with an `npm` that logs calls and writes the given reports. */
  function ciRun(npm: { ci?: number; unit?: string; interop?: string; status?: number }) {
    for (const part of [".ci/run", "tools/count-tests.mjs"]) {
      mkdirSync(path.dirname(path.join(folder, part)), { recursive: true });
      cpSync(path.join(ROOT, part), path.join(folder, part));
    }
    const body = [
      `echo "npm $1 for $WRIT_TEST_USERS user"; for last in "$@"; do :; done`,
      `read -r line && echo "npm has an input: $line"`,
      `case $* in`,
      `ci) exit ${npm.ci ?? 0} ;;`,
      `test*) json='${npm.unit ?? ""}' ;;`,
      `"run test:interop"*) json='${npm.interop ?? ""}' ;;`,
      `esac`,
      `echo "$json" >"\${last#--outputFile.json=}"; exit ${npm.status ?? 0}`,
    ];
    writePrograms(path.join(folder, "programs"), { npm: body.join("\n") });
    const PATH = `${path.join(folder, "programs")}:${process.env.PATH}`;
    const options = { env: { PATH }, input: "1\n2\n3\n" };
    const { status, stdout } = runProgram(path.join(folder, ".ci/run"), [], options);
    const lines = stdout.trimEnd().split("\n");
    return { status, last: lines.at(-1), calls: lines.filter((line) => line.startsWith("npm ")) };
  }

  const calls = ["npm ci", "npm test", "npm run"].map((call) => `${call} for every user`);
  const good = { unit: report("passed", "passed"), interop: report("passed") };

  it("gives no input, adds up both runs and ends with the count", () => {
    expect(ciRun(good)).toEqual({ status: 0, last: "3 passed, 0 failed", calls });
  });

  it("goes on after a failed installation, and counts it", () => {
    expect(ciRun({ ...good, ci: 1 })).toEqual({ status: 1, last: "3 passed, 1 failed", calls });
  });

  it("goes on after a failed run", () => {
    const ran = ciRun({ ...good, unit: report("failed") });
    expect(ran).toEqual({ status: 1, last: "1 passed, 1 failed", calls });
  });

  it("counts a run that failed without a failing test", () => {
    expect(ciRun({ ...good, status: 1 })).toEqual({ status: 1, last: "3 passed, 2 failed", calls });
  });

  it("counts a run that wrote no report", () => {
    const ran = ciRun({ unit: good.unit });
    expect(ran).toEqual({ status: 1, last: "2 passed, 1 failed", calls });
  });
});

describe("whom sandboxes are tried as", () => {
  it.each([
    [true, "", ["root"]],
    [true, "every", ["root", "ordinary"]],
    [false, "", ["ordinary"]],
    [false, "every", ["ordinary"]],
  ])("root %s, asked for %j: %j", (isRoot, asked, users) => {
    expect(usersOf(isRoot, { WRIT_TEST_USERS: asked })).toEqual(users);
  });

  it("is refused when it cannot be told", () => {
    expect(() => usersOf(true, { WRIT_TEST_USERS: "both" })).toThrow('expected "every"');
  });
});
