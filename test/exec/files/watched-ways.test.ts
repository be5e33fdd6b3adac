/** What fs/watchMissing tells of what happens above a path, or behind a link on the way to it. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fileClient, uri } from "./support/file-client.ts";

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly missing: string;
  readonly present?: string;
  readonly act: (at: (name: string) => string) => void;
}

const rename = (from: string, to: string): Case["act"] => {
  return (at) => fs.renameSync(at(from), at(to));
};

const CASES: Readonly<Record<string, Case>> = {
  "the folder of what is present is renamed": {
    ...{ files: { "g/p": "" }, missing: "g/x", present: "g/p" },
    act: rename("g", "h"),
  },
  "the folder above that of what is present is renamed": {
    ...{ files: { "g/a/p": "" }, missing: "g/a/x", present: "g/a/p" },
    act: rename("g", "h"),
  },
  "a folder far above what is present is renamed": {
    ...{ files: { "q/g/a/p": "" }, missing: "q/g/a/x", present: "q/g/a/p" },
    act: rename("q", "h"),
  },
  "what is missing comes with a folder above its own": {
    ...{ files: { "g/a/f": "", "n/a/x": "" }, missing: "g/a/x" },
    act: (at) => {
      fs.renameSync(at("g"), at("old"));
      fs.renameSync(at("n"), at("g"));
    },
  },
  "what is missing is where a link is turned to": {
    ...{ files: { "r1/f": "", "r2/x": "" }, links: { current: "r1" }, missing: "current/x" },
    act: (at) => {
      fs.symlinkSync("r2", at("next"));
      fs.renameSync(at("next"), at("current"));
    },
  },
  "what a link leads to appears": {
    ...{ files: { "d/f": "" }, links: { link: "d/../d/target" }, missing: "link" },
    act: (at) => fs.writeFileSync(at("d/target"), ""),
  },
  "what a link in a linked folder leads to appears": {
    files: { "d/f": "", "e/f": "" },
    ...{ links: { "d/link": "../e/target", folder: "d" }, missing: "folder/link" },
    act: (at) => fs.writeFileSync(at("e/target"), ""),
  },
  "what a link leads to, which is present, is removed": {
    ...{ files: { "d/target": "" }, links: { link: "d/target" }, missing: "x", present: "link" },
    act: (at) => fs.rmSync(at("d/target")),
  },
  "what is present is removed and made again at once": {
    ...{ files: { "a/p": "" }, missing: "a/x", present: "a/p" },
    act: (at) => {
      fs.rmSync(at("a/p"));
      fs.writeFileSync(at("a/p"), "");
    },
  },
  "a missing folder is made and what is missing in it": {
    ...{ files: {}, missing: "a/b/x" },
    act: (at) => {
      fs.mkdirSync(at("a/b"), { recursive: true });
      fs.writeFileSync(at("a/b/x"), "");
    },
  },
};

it.each(Object.entries(CASES))("is told when %s", async (_, { files, links = {}, ...asked }) => {
  const folder = temporaryFolder(files);
  const at = (name: string) => path.join(folder, name);
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, at(name));
  const { call, notified } = fileClient();
  const present = asked.present === undefined ? null : uri(folder, asked.present);
  const params = { watchId: 1, missing: [uri(folder, asked.missing)], present };
  expect(await call("fs/watchMissing", params)).toEqual({ result: { watching: true } });
  asked.act(at);
  expect(await notified()).toMatchObject({ method: "fs/missingChanged", params: { watchId: 1 } });
});

it("says that nothing will be told where a path leads through more folders than are watched", async () => {
  const folder = temporaryFolder({ [`${"a/".repeat(600)}f`]: "" });
  const { call } = fileClient();
  const asked = { watchId: 1, missing: [uri(folder, `${"a/".repeat(600)}x`)] };
  expect(await call("fs/watchMissing", asked)).toEqual({ result: { watching: false } });
});
