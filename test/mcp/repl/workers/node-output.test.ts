import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { startPipedNode } from "./support/start-node.ts";

/** Takes each number that becomes free, once `isThere`. */
const THIEF = `
const fs = require("node:fs");
const { closeSync } = fs;
let isThere = false;
fs.closeSync = (fd) => {
  closeSync(fd);
  if (isThere) fs.openSync("/dev/null");
};`;
/** Another thread, from its start on. */
const THREAD = `
const threads = require("node:worker_threads");
threads.Worker = class extends threads.Worker {
  constructor(...all) {
    super(...all);
    isThere = true;
  }
};`;
const PIPES = 'exec 5<<END 6<<END\nEND\nEND\nexec "$@"';
const OWN = path.resolve(import.meta.dirname, "../../../../workers/node/own-output.mjs");

describe("the output of children of a Node session", () => {
  it("is heard whatever its other thread opens while it starts", async () => {
    const file = path.join(temporaryFolder(), "thief.cjs");
    writeFileSync(file, THIEF + THREAD);
    const node = await startPipedNode(undefined, ["--require", file]);
    const cell = 'require("child_process").execSync("echo 2 >&2; echo 1", { stdio: "inherit" }); 0';
    const { stdout, stderr } = await node.run(cell);
    expect({ stdout, stderr }).toEqual({ stdout: "1\n0\n", stderr: "2\n" });
  });

  it("is never given up without a word: the session does not start", () => {
    const script = `${THIEF}
      isThere = true;
      import(${JSON.stringify(OWN)}).then(({ ownOutput }) => ownOutput(process.env, [5, 6]));`;
    const node = [process.execPath, "--input-type=commonjs", "--eval", script];
    const { status, stderr } = spawnSync("/bin/sh", ["-c", PIPES, "sh", ...node]);
    expect(status).toBe(1);
    expect(String(stderr)).toMatch(/Cannot own descriptor 1: got \d+, expected it to be free/);
  });
});
