/** `writ run --on`: the same command elsewhere, with the policy of the flags. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { sharedLab } from "./support/exec-lab.ts";

const lab = sharedLab();

function runOn(args: readonly string[], command: readonly string[], { place, url } = lab()) {
  const policy = ["--sandbox", "workspace-write", "-C", place.workspace];
  return place.run(["run", "--on", url, ...policy, ...args, "--", ...command]);
}

it("prints what the command prints and ends with its status", () => {
  const done = runOn([], ["sh", "-c", "echo out; echo err >&2; exit 7"]);
  expect(done).toMatchObject({ status: 7, stdout: "out\n", stderr: "err\n" });
});

it("gives the command all of its input, though it begins to read long after there is no room for more", () => {
  const { place, url } = lab();
  const policy = ["--sandbox", "read-only", "-C", place.workspace];
  const command = ["sh", "-c", "sleep 9; wc -c"];
  const words = place.argv(["run", "--on", url, ...policy, "--", ...command]);
  const script = ["-c", 'head -c 30000000 /dev/zero | "$0" "$@"', ...words];
  const done = spawnSync("/bin/sh", script, { env: place.env, encoding: "utf8" });
  expect(done).toMatchObject({ status: 0, stdout: "30000000\n", stderr: "" });
});

it("confines the command there", () => {
  const outside = path.join(lab().place.outside, "made");
  expect(runOn([], ["touch", outside]).status).not.toBe(0);
  expect(fs.existsSync(outside)).toBe(false);
});

it("writes the receipt where it was asked for, whatever link the command put there", () => {
  const { workspace, outside } = lab().place;
  const [receipt, other] = [path.join(workspace, "receipt"), path.join(outside, "other")];
  fs.writeFileSync(other, "kept", { mode: 0o666 });
  const done = runOn(["--receipt", receipt], ["ln", "-s", other, receipt]);
  expect(done).toMatchObject({ status: 0, stderr: "" });
  expect(fs.readFileSync(other, "utf8")).toBe("kept");
  expect(JSON.parse(fs.readFileSync(receipt, "utf8"))).toMatchObject({
    enforced: { tier: "namespaces" },
  });
});

it("runs nothing where the receipt cannot be written", () => {
  const made = path.join(lab().place.workspace, "made");
  const missing = path.join(lab().place.workspace, "no/receipt");
  expect(runOn(["--receipt", missing], ["touch", made]).status).toBe(125);
  expect(fs.existsSync(made)).toBe(false);
});

it.each([
  ["a limit", ["--timeout", "0.2"], ["sleep", "9"], 124, /beyond the limit "wallTimeMs" of 200\n$/],
  ["a program that is not there", [], ["nosuch"], 127, /Cannot start "nosuch": the sandbox has no/],
] as const)("says what ended the command as it does here: %s", (_, args, command, status, said) => {
  const done = runOn(args, command);
  expect(done.status).toBe(status);
  expect(done.stderr).toMatch(said);
});

it("says that the output found no room here", () => {
  const { place, url } = lab();
  const policy = ["--sandbox", "read-only", "-C", place.workspace];
  const words = place.argv(["run", "--on", url, ...policy, "--", "echo", "lost"]);
  const script = ["-c", 'exec "$0" "$@" > /dev/full', ...words];
  const done = spawnSync("/bin/sh", script, { env: place.env, encoding: "utf8" });
  expect(done.status).not.toBe(0);
  expect(done.stderr).toMatch(/^writ: Cannot write the output of the command: ENOSPC\b.*\n$/);
});

it("runs nothing where nobody answers", () => {
  const done = runOn([], ["true"], { ...lab(), url: "ws://127.0.0.1:1" });
  expect(done).toMatchObject({ status: 125, stderr: expect.stringContaining("Cannot reach") });
});
