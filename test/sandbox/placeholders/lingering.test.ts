import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import {
  holdPlaceholders,
  releaseLingering,
} from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";
import { announceRun, recordRun, restRun } from "../../../src/sandbox/placeholders/record-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const LINGER_MS = 100;

function place() {
  const base = temporaryFolder({ "ws/f": "", "records/f": "" });
  const [folder, records] = [path.join(base, "ws"), at(path.join(base, "records"))];
  onTestFinished(releaseLingering);
  const hold = (name: string) =>
    holdPlaceholders([{ path: at(path.join(folder, name)), kind: "folder" }], records, LINGER_MS);
  const left = (of = folder) => readdirSync(of).filter((name) => name !== "f");
  return { folder, records, hold, left };
}

describe("a placeholder that lingers", () => {
  it("is there, and on record, until it is released", () => {
    const { records, hold, left } = place();
    hold(".git").release();
    expect(left()).toEqual([".git"]);
    expect(left(records)).toEqual([expect.stringMatching(/^held-\d+\.json$/)]);
    releaseLingering();
    expect([left(), left(records)]).toEqual([[], []]);
  });

  it("goes by itself after a moment", async () => {
    const { records, hold, left } = place();
    const held = hold(".git");
    announceRun(records, held.run);
    held.release();
    await expect.poll(() => [left(), left(records)]).toEqual([[], []]);
  });

  it("goes when the process ends", () => {
    const { folder, records, left } = place();
    const source = path.resolve("src/sandbox/placeholders/hold-placeholders.ts");
    const script = `
      import { holdPlaceholders } from ${JSON.stringify(source)};
      import fs from "node:fs";
      const place = { path: ${JSON.stringify(`${folder}/.git`)}, kind: "folder" };
      holdPlaceholders([place], ${JSON.stringify(records)}, ${LINGER_MS}).release();
      process.stdout.write(String(fs.existsSync(place.path)));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect(String(stdout)).toBe("true");
    expect([left(), left(records)]).toEqual([[], []]);
  });

  it("adds one listener to the process, however many folders have records", () => {
    const before = process.listenerCount("exit");
    for (let count = 0; count < 12; count++) place().hold(".git").release();
    expect(process.listenerCount("exit") - before).toBeLessThanOrEqual(1);
  });

  it("goes when the process ends, from every folder", () => {
    const places = [place(), place()];
    const source = path.resolve("src/sandbox/placeholders/hold-placeholders.ts");
    const held = places.map(({ folder, records }) => [`${folder}/.git`, records]);
    const script = `
      import { holdPlaceholders } from ${JSON.stringify(source)};
      for (const [path, records] of ${JSON.stringify(held)})
        holdPlaceholders([{ path, kind: "folder" }], records, ${LINGER_MS}).release();`;
    const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect(status).toBe(0);
    for (const { left, records } of places) expect([left(), left(records)]).toEqual([[], []]);
  });

  it("is the same for the next one, and is not removed while that one needs it", () => {
    const { folder, hold, left } = place();
    hold(".git").release();
    const { ino } = statSync(path.join(folder, ".git"));
    const held = hold(".git");
    releaseLingering();
    expect(statSync(path.join(folder, ".git")).ino).toBe(ino);
    held.release();
    releaseLingering();
    expect(left()).toEqual([]);
  });

  it("is made again when the host took it away", () => {
    const { folder, hold, left } = place();
    hold(".git").release();
    rmdirSync(path.join(folder, ".git"));
    hold(".git");
    expect(left()).toEqual([".git"]);
  });

  it("stays when somebody has put something into it", () => {
    const { folder, hold, left } = place();
    hold(".git").release();
    writeFileSync(path.join(folder, ".git/config"), "");
    releaseLingering();
    expect(left()).toEqual([".git"]);
  });

  it("does not keep what was there before", () => {
    const { folder, hold, left } = place();
    mkdirSync(path.join(folder, ".git"));
    hold(".git").release();
    releaseLingering();
    expect(left()).toEqual([".git"]);
  });

  it("is removed by the next start when its process was killed", () => {
    const { folder, records, hold, left } = place();
    hold(".git").release();
    const file = path.join(records, left(records)[0] ?? "");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/\["\d+-\d+/g, '["999999999-1'));
    holdPlaceholders([{ path: at(`${folder}/.aws`), kind: "folder" }], records).release();
    expect(left()).toEqual([]);
  });
});

describe("the record of a run that is used again", () => {
  it("has the name of the run before", () => {
    const { records, hold } = place();
    const first = hold(".git");
    announceRun(records, first.run);
    first.release();
    const [second, third] = [hold(".git"), hold(".git")];
    expect(second.run).toBe(first.run);
    expect(third.run).not.toBe(first.run);
  });

  it("leads to the process of the last run and not to an earlier one", async () => {
    const { records, hold } = place();
    const dead = `${String(identityOf(process.pid)).replace(/^\d+-\d+/, "999999999-1")}-5`;
    const sleeper = () => spawn("/bin/sleep", ["60"], { stdio: "ignore" });
    const [earlier, survivor] = [sleeper(), sleeper()];
    onTestFinished(() => void earlier.kill("SIGKILL"));
    announceRun(records, dead);
    recordRun(records, dead, Number(earlier.pid));
    expect(restRun(records, dead)).toBe(true);
    recordRun(records, dead, Number(survivor.pid));
    hold(".git");
    expect(await once(survivor, "exit")).toEqual([null, "SIGKILL"]);
    expect(earlier.signalCode).toBeNull();
  });

  it("is removed when it has become long, or was not made", () => {
    const { records, left } = place();
    expect(restRun(records, "1-1-1-1-1")).toBe(false);
    writeFileSync(path.join(records, "run-1-1-1-1-2"), "x".repeat(1 << 16));
    expect(restRun(records, "1-1-1-1-2")).toBe(false);
    expect(left(records)).toEqual([]);
  });
});
