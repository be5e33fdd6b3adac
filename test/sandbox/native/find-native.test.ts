import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findNative, nativeFolders } from "../../../src/sandbox/native/find-native.ts";

const PARTS = ["koffi", "@koromix", "@koromix/native"];

/** A project with this package for a dependency, and native parts in the folders that are named. */
function laidOut(...withParts: readonly string[]) {
  const project = realpathSync(mkdtempSync(path.join(os.tmpdir(), "writ-native-")));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const at = (place: string) => path.join(project, place);
  mkdirSync(at("app/node_modules/writ/dist"), { recursive: true });
  for (const folder of withParts) {
    for (const part of PARTS) mkdirSync(at(`${folder}/${part}`), { recursive: true });
  }
  return { at, find: () => findNative(PARTS, at("app/node_modules/writ")) };
}

describe("findNative", () => {
  it.each(["app/node_modules/writ/node_modules", "app/node_modules"])(
    "finds what is in %s",
    (one) => {
      const { at, find } = laidOut(one);
      expect(find()).toBe(at(one));
    },
  );

  it("takes its own before those of the project", () => {
    const { at, find } = laidOut("app/node_modules", "app/node_modules/writ/node_modules");
    expect(find()).toBe(at("app/node_modules/writ/node_modules"));
  });

  it.each(["node_modules", "app/node_modules/writ/dist/node_modules"])(
    "takes none of %s, which nobody protects",
    (folder) => {
      expect(laidOut(folder).find()).toBeUndefined();
    },
  );

  it.each(PARTS)("takes none where %s is a link", (part) => {
    const { at, find } = laidOut("app/node_modules");
    renameSync(at(`app/node_modules/${part}`), at("elsewhere"));
    symlinkSync(at("elsewhere"), at(`app/node_modules/${part}`));
    expect(find()).toBeUndefined();
  });

  it.each(PARTS)("takes none without %s, also where there is a whole one behind it", (part) => {
    const { at, find } = laidOut("app/node_modules/writ/node_modules", "app/node_modules");
    rmSync(at(`app/node_modules/writ/node_modules/${part}`), { recursive: true });
    expect(find()).toBeUndefined();
  });

  it("takes none where there is none", () => {
    expect(laidOut().find()).toBeUndefined();
  });
});

describe("nativeFolders", () => {
  it.each([
    ["/p/node_modules/.pnpm/writ@1/node_modules/writ", "pnpm"],
    ["/p/node_modules/.bun/writ@1/node_modules/writ", "Bun"],
    ["/p/node_modules/.store/writ-1/node_modules/writ/", "Yarn"],
  ])("has nothing beside %s: in a store of %s lie links, for which a folder may be put", (root) => {
    expect(nativeFolders(root)).toEqual([path.join(root, "node_modules")]);
  });

  it("has nothing beside a package that lies alone", () => {
    expect(nativeFolders("/home/me/writ/")).toEqual(["/home/me/writ/node_modules"]);
  });
});
