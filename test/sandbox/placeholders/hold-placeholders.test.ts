import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import { RUN_VARIABLE } from "../../../src/sandbox/placeholders/end-survivors.ts";
import { holdPlaceholders } from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { identityOf } from "../../../src/sandbox/placeholders/process-identity.ts";
import { announceRun, recordRun } from "../../../src/sandbox/placeholders/record-run.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function place() {
  const base = temporaryFolder();
  const folder = path.join(base, "ws");
  mkdirSync(folder);
  const records = at(path.join(base, "records"));
  mkdirSync(records);
  const hold = (...names: string[]) =>
    holdPlaceholders(
      names.map((name) => ({
        path: at(path.join(folder, name)),
        kind: name.endsWith("rc") ? "file" : "folder",
      })),
      records,
    );
  return { folder, records, hold, left: () => readdirSync(folder).toSorted() };
}

describe("holdPlaceholders", () => {
  it("makes what is missing and removes it when it lets go", () => {
    const { hold, left } = place();
    const held = hold(".git", ".envrc");
    expect(left()).toEqual([".envrc", ".git"]);
    held.release();
    expect(left()).toEqual([]);
  });

  it("keeps a placeholder until the last one lets go", () => {
    const { hold, left } = place();
    const [first, second] = [hold(".git"), hold(".git")];
    first.release();
    expect(left()).toEqual([".git"]);
    second.release();
    expect(left()).toEqual([]);
  });

  it("keeps a folder in which another needs something, and removes it with that", () => {
    const { hold, left, records } = place();
    const [outer, inner] = [hold("root"), hold("root/.git")];
    outer.release();
    expect(left()).toEqual(["root"]);
    inner.release();
    expect({ left: left(), records: readdirSync(records) }).toEqual({ left: [], records: [] });
  });

  it("forgets a folder in which somebody keeps something of their own", () => {
    const { folder, hold, left, records } = place();
    const held = hold("root");
    writeFileSync(path.join(folder, "root/own"), "");
    held.release();
    expect({ left: left(), records: readdirSync(records) }).toEqual({
      left: ["root"],
      records: [],
    });
  });

  it("keeps a record of any length, and removes all that is on it", () => {
    const { hold, left, records } = place();
    const names = Array.from({ length: 6000 }, (_, index) => `.${"n".repeat(100)}${index}`);
    const [many, one] = [hold(...names), hold(".git")];
    one.release();
    many.release();
    expect({ left: left(), records: readdirSync(records) }).toEqual({ left: [], records: [] });
  });

  it("removes what it made also while many others live", () => {
    const { records, hold, left } = place();
    for (let run = 0; run < 1000; run += 1)
      announceRun(records, `${identityOf(process.pid)}-${run}`);
    hold(".git").release();
    expect(left()).toEqual([]);
  });

  it("forgets what was in a folder that is gone, and goes on", () => {
    const { folder, records, hold, left } = place();
    const held = hold(".git", ".git/hooks");
    rmSync(folder, { recursive: true });
    held.release();
    expect(readdirSync(records)).toEqual([]);
    mkdirSync(folder);
    hold(".git").release();
    expect(left()).toEqual([]);
  });

  it("never removes what it did not make", () => {
    const { folder, hold, left } = place();
    mkdirSync(path.join(folder, ".git"));
    hold(".git").release();
    expect(left()).toEqual([".git"]);
  });

  it("leaves a placeholder that somebody has put something into", () => {
    const { folder, hold, left } = place();
    const held = hold(".git");
    writeFileSync(path.join(folder, ".git/config"), "");
    held.release();
    expect(left()).toEqual([".git"]);
  });

  it("leaves what was put in the place of a placeholder", () => {
    const { folder, hold, left } = place();
    const held = hold(".git");
    renameSync(path.join(folder, ".git"), path.join(folder, "other"));
    mkdirSync(path.join(folder, ".git"));
    held.release();
    expect(left()).toEqual([".git", "other"]);
  });

  it("takes back what it made when one cannot be made", () => {
    const { hold, left } = place();
    expect(() => hold(".git", "no/such/folder")).toThrow(/ENOENT/);
    expect(left()).toEqual([]);
  });
});

/** The one record there is. */
function recordIn(records: string): string {
  return path.join(records, readdirSync(records).find((name) => name.startsWith("held")) ?? "none");
}

/** As it would be had every run on record been killed long ago. */
function killAll(records: string): void {
  const file = recordIn(records);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/"users":\["\d+-\d+/g, '"users":["999999999-1'));
}

describe("holdPlaceholders after a kill", () => {
  it("removes what a process left that is no longer there", () => {
    const { records, hold, left } = place();
    hold(".git");
    killAll(records);
    hold(".envrc").release();
    expect(left()).toEqual([]);
    expect(readdirSync(records)).toEqual([]);
  });

  it("removes what was made by somebody who did not live to write it down", () => {
    const { records, hold, left } = place();
    hold(".git");
    const file = recordIn(records);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"made":"[^"]*",/g, ""));
    killAll(records);
    hold(".envrc").release();
    expect(left()).toEqual([]);
  });

  it("removes what was left before the last boot", () => {
    const { records, hold, left } = place();
    hold(".git");
    const file = recordIn(records);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/-[0-9a-f]{32}-/g, "-00-"));
    hold(".envrc").release();
    expect(left()).toEqual([]);
  });

  it("leaves what a living process holds, and what another pid namespace may", () => {
    const { records, hold, left } = place();
    const held = hold(".git");
    hold(".envrc").release();
    expect(left()).toEqual([".git"]);
    held.release();
    hold(".aws");
    const file = recordIn(records);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(\d+-\d+)-\d+-/g, "$1-7-"));
    hold(".envrc").release();
    expect(left()).toEqual([".aws"]);
  });

  it("ends a sandbox that outlived its run before it takes its placeholders away", async () => {
    const { records, hold, left } = place();
    const survivor = spawn("sleep", ["60"], { stdio: "ignore" });
    const held = hold(".git");
    recordRun(records, held.run.replace(/^\d+-\d+/, "999999999-1"), Number(survivor.pid));
    killAll(records);
    hold(".envrc").release();
    expect(left()).toEqual([]);
    const [, signal] = await once(survivor, "exit");
    expect(signal).toBe("SIGKILL");
  });

  it("ends a launcher whose run was killed before it knew its first process", async () => {
    const { records, hold } = place();
    const dead = String(identityOf(process.pid)).replace(/^\d+-\d+/, "999999999-1");
    const env = { [RUN_VARIABLE]: `${dead}-5` };
    const stranded = spawn("/bin/sleep", ["60"], { stdio: "ignore", env });
    await once(stranded, "spawn");
    announceRun(records, `${dead}-5`);
    const over = once(stranded, "exit");
    hold(".git").release();
    expect(await over).toEqual([null, "SIGKILL"]);
    expect(readdirSync(records)).toEqual([]);
  });

  it("takes garbage in its record for an empty one", () => {
    const { records, hold, left } = place();
    for (const text of ["{", "[1]", '[{"path":3}]', "null"]) {
      writeFileSync(path.join(records, "held-7.json"), text);
      hold(".git").release();
      expect(left()).toEqual([]);
      expect(readdirSync(records)).toEqual([]);
    }
  });

  it("takes over the lock of a process that died, and that of one which died doing so", () => {
    const { records, hold, left } = place();
    const dead = String(identityOf(process.pid)).replace(/^\d+-\d+/, "999999999-1");
    writeFileSync(path.join(records, "lock"), `${dead}-a`);
    writeFileSync(path.join(records, `lock-broken-${dead}-a`), `${dead}-b`);
    hold(".git").release();
    expect(left()).toEqual([]);
    expect(readdirSync(records)).toEqual([]);
  });

  it("removes the right to break a lock of one that died with it, and leaves a living one's", () => {
    const { records, hold } = place();
    const living = String(identityOf(process.pid));
    const dead = living.replace(/^\d+-\d+/, "999999999-1");
    writeFileSync(path.join(records, `lock-broken-${dead}-a`), `${dead}-b`);
    writeFileSync(path.join(records, `lock-broken-${dead}-c`), `${living}-b`);
    hold(".git").release();
    expect(readdirSync(records)).toEqual([`lock-broken-${dead}-c`]);
  });

  it("believes the older of two records when a kill cut the newer one short", () => {
    const { records, hold, left } = place();
    hold(".git");
    killAll(records);
    writeFileSync(path.join(records, "held-99.json"), '[{"path":"/');
    hold(".envrc").release();
    expect(left()).toEqual([]);
    expect(readdirSync(records)).toEqual([]);
  });

  it("refuses a folder for its records that others could write", () => {
    const { records, hold, left } = place();
    chmodSync(records, 0o777);
    expect(() => hold(".git")).toThrow(/only this user/);
    expect(left()).toEqual([]);
  });

  it("makes and removes nothing through a link", () => {
    const { folder, hold } = place();
    mkdirSync(path.join(folder, "real"));
    symlinkSync("real", path.join(folder, "link"));
    expect(() => hold("link/.git")).toThrow(/not what it was/);
    expect(readdirSync(path.join(folder, "real"))).toEqual([]);
  });
});
