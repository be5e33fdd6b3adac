/** What is kept of a program, each time with a program that is really started. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../support/bundled-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const keepCode = bundledProgram(
  path.resolve(import.meta.dirname, "../../../src/cli/start/keep-code.ts"),
);

const startOf = () => `
import module from "node:module";
import { keepCode } from ${JSON.stringify(keepCode())};
const [, , program, home, status] = process.argv;
keepCode({ program, kept: home + "/cache", home });
const part = module.createRequire(program + "/main.js")("./part.js");
console.log(part.say());
process.exitCode = Number(status);
`;

const PART = `const { word } = require("./word.js");
exports.say = () => "says " + word + " in " + require("node:path").basename(__dirname);
`;

interface Program {
  readonly folder: string;
  readonly home: string;
  readonly part: string;
  /** Where the code of the part is kept. */
  readonly kept: string;
  /** Starts it to its end, and gives what it printed. */
  start(status?: number): string;
}

function program(): Program {
  const base = realpathSync(
    temporaryFolder({
      "start.mjs": startOf(),
      "program/part.js": PART,
      "program/word.js": 'exports.word = "one";\n',
      "program/package.json": "{}",
    }),
  );
  const [folder, home] = [path.join(base, "program"), path.join(base, "home")];
  mkdirSync(home, { mode: 0o700 });
  const part = path.join(folder, "part.js");
  return {
    folder,
    part,
    home,
    kept: path.join(home, "cache", part),
    start(status = 0) {
      const args = [path.join(base, "start.mjs"), folder, home, String(status)];
      const ran = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status, stderr: "" });
      return ran.stdout;
    },
  };
}

const SAID = "says one in program\n";

/** Kept anew means that what was there was not used. */
function isKeptAnew({ kept, start }: Program): boolean {
  const before = lstatSync(kept, { bigint: true });
  expect(start()).toBe(SAID);
  const after = lstatSync(kept, { bigint: true });
  return before.ino !== after.ino || before.mtimeNs !== after.mtimeNs;
}

describe("keepCode", () => {
  it("keeps the code of a first start for this user alone, and uses it from then on", () => {
    const subject = program();
    expect(subject.start()).toBe(SAID);
    expect(statSync(subject.kept).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(subject.kept)).mode & 0o777).toBe(0o700);
    expect(isKeptAnew(subject)).toBe(false);
  });

  const middle = (bytes: Buffer) => Math.floor(bytes.length / 4);

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["is empty", () => Buffer.alloc(0)],
    ["is something else", () => Buffer.from("const say = 1;")],
    ["was cut off", (bytes) => bytes.subarray(0, bytes.length - 1)],
    ["begins too late", (bytes) => bytes.subarray(2)],
    ["is all zeros", (bytes) => Buffer.alloc(bytes.length)],
    [
      "has a changed byte",
      (bytes) => bytes.fill(255 - (bytes[middle(bytes)] ?? 0), middle(bytes), middle(bytes) + 1),
    ],
  ])("does not use what %s, and keeps it anew", (_, damaged) => {
    const subject = program();
    subject.start();
    writeFileSync(subject.kept, damaged(readFileSync(subject.kept)));
    expect(isKeptAnew(subject)).toBe(true);
    expect(isKeptAnew(subject)).toBe(false);
  });

  it("does not use the code of another file in its place", () => {
    const subject = program();
    subject.start();
    renameSync(path.join(path.dirname(subject.kept), "word.js"), subject.kept);
    expect(isKeptAnew(subject)).toBe(true);
  });

  it("runs a file that was changed, also where its length is the same", () => {
    const subject = program();
    subject.start();
    writeFileSync(subject.part, PART.replace("says", "sang"));
    expect(subject.start()).toBe(SAID.replace("says", "sang"));
    expect(subject.start()).toBe(SAID.replace("says", "sang"));
  });

  it.each([
    ["its group", 0o620],
    ["everybody", 0o602],
  ])("does not use a file that %s can write", (_, mode) => {
    const subject = program();
    subject.start();
    chmodSync(subject.kept, mode);
    expect(isKeptAnew(subject)).toBe(true);
    expect(statSync(subject.kept).mode & 0o777).toBe(0o600);
  });

  const nobody = process.getuid?.() === 0 ? [65534] : [];
  it.each(nobody)("does not use a file of user %i", (uid) => {
    const subject = program();
    subject.start();
    chownSync(subject.kept, uid, uid);
    expect(isKeptAnew(subject)).toBe(true);
  });

  it("does not follow a link to what it kept itself", () => {
    const subject = program();
    subject.start();
    const elsewhere = path.join(path.dirname(subject.folder), "elsewhere");
    renameSync(subject.kept, elsewhere);
    symlinkSync(elsewhere, subject.kept);
    expect(readlinkSync(subject.kept)).toBe(elsewhere);
    expect(isKeptAnew(subject)).toBe(true);
    expect(lstatSync(subject.kept).isFile()).toBe(true);
  });

  it("keeps nothing of a start that went wrong", () => {
    const subject = program();
    expect(subject.start(3)).toBe(SAID);
    expect(existsSync(subject.kept)).toBe(false);
  });

  it("keeps nothing of a file that is gone", () => {
    const subject = program();
    subject.start();
    const renamed = path.join(subject.folder, "other.js");
    renameSync(path.join(subject.folder, "word.js"), renamed);
    writeFileSync(subject.part, PART.replace("word.js", "other.js"));
    subject.start();
    expect(readdirSync(path.dirname(subject.kept)).sort()).toEqual(["other.js", "part.js"]);
  });

  it("keeps nothing in a home that others may write to", () => {
    const { home, start } = program();
    chmodSync(home, 0o777);
    expect(start()).toBe(SAID);
    expect(readdirSync(home)).toEqual([]);
  });

  it("makes no home where there is none", () => {
    const { home, start } = program();
    rmdirSync(home);
    expect(start()).toBe(SAID);
    expect(existsSync(home)).toBe(false);
  });

  it("starts where nothing can be kept", () => {
    const subject = program();
    mkdirSync(subject.kept, { recursive: true });
    expect(subject.start()).toBe(SAID);
    expect(lstatSync(subject.kept).isDirectory()).toBe(true);
  });
});
