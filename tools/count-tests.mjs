/**
 * Prints "N passed, M failed" for Vitest's JSON reports; exits 1 unless M is 0.
 *
 *   node tools/count-tests.mjs FILE[=STATUS]... [=STATUS]...
 *
 * STATUS is the exit status of the step that wrote FILE; without FILE it is a step that has no
 * report. What did not run is a failure: a skipped or todo test, a file that could not be loaded, a
 * report that is missing or has no tests, a step that failed although all its tests passed. What
 * failed is named before the count.
 *
 * Plain JavaScript without dependencies: it must also count when the installation failed.
 */
import { readFileSync } from "node:fs";

/** @param {string} step */
function countStep(step) {
  const [, file, status = "0"] = /^(.*?)(?:=(\d+))?$/s.exec(step) ?? [];
  const { passed, failed } = file ? countReport(file) : { passed: 0, failed: 0 };
  return { passed, failed: failed === 0 && status !== "0" ? 1 : failed };
}

/** @param {string} file */
function countReport(file) {
  const counts = readSuites(file).map(countSuite);
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}

/** @param {{ status?: string, assertionResults?: { status: string }[] }} suite */
function countSuite({ status, assertionResults = [] }) {
  const passed = assertionResults.filter((test) => test.status === "passed").length;
  const failed = assertionResults.length - passed;
  return { passed, failed: failed === 0 && status === "failed" ? 1 : failed };
}

/**
 * @param {string} file
 * @returns {{ name?: string, status?: string, message?: string, assertionResults?: { status: string, fullName?: string, failureMessages?: string[] }[] }[]}
 */
function readSuites(file) {
  try {
    const { testResults } = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(testResults) ? testResults : [];
  } catch {
    return [];
  }
}

/**
 * Every test and file that failed, by name: whoever sees only the end of a long log can go on from there.
 * @param {string} step
 */
function failuresOf(step) {
  const [, file] = /^(.*?)(?:=(\d+))?$/s.exec(step) ?? [];
  return (file ? readSuites(file) : []).flatMap(
    ({ name, status, message, assertionResults = [] }) => {
      const failed = assertionResults.filter((test) => test.status !== "passed");
      if (failed.length === 0) return status === "failed" ? [`${name}: ${message ?? ""}`] : [];
      return failed.map(
        (test) =>
          `${name}: ${test.fullName} (${test.status})\n${(test.failureMessages ?? []).join("\n")}`,
      );
    },
  );
}

const MOST_TEXT = 4000;

const steps = process.argv.slice(2);
for (const failure of steps.flatMap(failuresOf)) {
  process.stderr.write(`FAILED ${failure.slice(0, MOST_TEXT)}\n`);
}
const counts = steps.map(countStep);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
const total = passed + failed === 0 ? 1 : failed;
process.stdout.write(`${passed} passed, ${total} failed\n`);
process.exitCode = total === 0 ? 0 : 1;
