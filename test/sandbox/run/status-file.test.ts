import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { followStatus, openStatusFile } from "../../../src/sandbox/run/status-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A process that reports on descriptor 3. */
function reporting(script: string) {
  const folder = temporaryFolder();
  const file = openStatusFile(folder);
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "ignore", "ignore", file.fd] });
  return { folder, child, report: followStatus(file, child) };
}

describe("the status file", () => {
  it("has no name that anybody could open", () => {
    const { folder, child } = reporting("exit 0");
    expect(readdirSync(folder)).toEqual([]);
    return once(child, "exit");
  });

  it("tells the process as soon as it is reported, and the status at the end", async () => {
    const { child, report } = reporting(
      `echo '{ "child-pid": 42 }' >&3; read line; echo '{ "exit-code": 7 }' >&3`,
    );
    expect(await report.pid).toBe(42);
    child.stdin?.end("go on\n");
    expect(await report.exitCode).toBe(7);
  });

  it("tells neither when nothing was reported", async () => {
    const { report } = reporting("exit 1");
    expect(await report.pid).toBeUndefined();
    expect(await report.exitCode).toBeUndefined();
  });

  it("tells neither when the process cannot be started", async () => {
    const file = openStatusFile(temporaryFolder());
    const child = spawn("/no/such/program", { stdio: ["ignore", "ignore", "ignore", file.fd] });
    const { pid, exitCode } = followStatus(file, child);
    child.once("error", () => {});
    expect(await Promise.all([pid, exitCode])).toEqual([undefined, undefined]);
  });

  it("is refused with a sentence where it cannot be made", () => {
    expect(() => openStatusFile("/nonexistent")).toThrow(/^Cannot follow the sandbox: /);
  });

  it("never tells of the run before, whatever it reported", async () => {
    const folder = temporaryFolder();
    const codes: (number | undefined)[] = [];
    for (let run = 0; run < 40; run += 1) {
      const file = openStatusFile(folder);
      // Long enough that several files are needed; every other one reports nothing.
      const report = `head -c 3000 /dev/zero | tr '\\0' x >&3; echo '{ "exit-code": ${run} }' >&3`;
      const child = spawn("/bin/sh", ["-c", run % 2 === 0 ? report : "exit 1"], {
        stdio: ["ignore", "ignore", "ignore", file.fd],
      });
      codes.push(await followStatus(file, child).exitCode);
    }
    expect(codes).toEqual(codes.map((_, run) => (run % 2 === 0 ? run : undefined)));
  });

  it("has room for what is reported before anything is started", () => {
    const { fd } = openStatusFile(temporaryFolder());
    expect(fstatSync(fd).size).toBe(16_384);
    closeSync(fd);
  });
});
