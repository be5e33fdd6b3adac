import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAbsolutePath as at } from "../../../src/policy/index.ts";
import {
  holdPlaceholders,
  sweepPlaceholders,
} from "../../../src/sandbox/placeholders/hold-placeholders.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function place() {
  const base = temporaryFolder();
  const folder = path.join(base, "ws");
  mkdirSync(folder);
  const registry = path.join(base, "run", "placeholders");
  const hold = (...names: string[]) =>
    holdPlaceholders(
      names.map((name) => ({
        path: at(path.join(folder, name)),
        kind: name.endsWith("rc") ? "file" : "folder",
      })),
      registry,
    );
  return { folder, registry, hold, left: () => readdirSync(folder).toSorted() };
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

describe("sweepPlaceholders", () => {
  it("removes what a process left that is no longer there", () => {
    const { folder, registry, hold, left } = place();
    hold(".git");
    const file = path.join(registry, "held.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/"users":\["[^"]+"\]/g, '"users":["999999999-1-x"]'));
    sweepPlaceholders(registry);
    expect(left()).toEqual([]);
    expect(existsSync(path.join(folder, ".git"))).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("[]");
  });

  it("leaves what a living process holds", () => {
    const { registry, hold, left } = place();
    const held = hold(".git");
    sweepPlaceholders(registry);
    expect(left()).toEqual([".git"]);
    held.release();
  });

  it("is content with a registry that is not there", () => {
    const { registry } = place();
    rmSync(registry, { recursive: true, force: true });
    expect(() => sweepPlaceholders(registry)).not.toThrow();
  });
});
