import { chmodSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findToolchain } from "../../../../src/session/provider/local/snapshots/find-toolchain.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A home that is a link, as where homes lie on another disk, with `node` in it. */
function linkedHome(node: string) {
  const base = temporaryFolder({ [`disk/user/${node}`]: "", "npm/bin/npm.js": "" });
  const at = (name: string) => path.join(base, name);
  for (const one of [`disk/user/${node}`, "npm/bin/npm.js"]) chmodSync(at(one), 0o755);
  symlinkSync("npm.js", at("npm/bin/npm"));
  symlinkSync("disk/user", at("home"));
  const PATH = [path.dirname(at(`disk/user/${node}`)), at("npm/bin")].join(":");
  return { HOME: at("home"), PATH };
}

describe("findToolchain", () => {
  it("refuses programs that lie in the home itself, also where that is a link", () => {
    expect(() => findToolchain(linkedHome("node"))).toThrow(/holds the home of this user/);
  });

  it("takes programs in a folder of their own in the home", () => {
    const { folders } = findToolchain(linkedHome("tools/bin/node"));
    expect(folders[0]).toMatch(/disk\/user\/tools\/bin$/);
  });

  it.each(["", "relative", undefined])("refuses where HOME is %j", (HOME) => {
    const env = { ...linkedHome("tools/bin/node"), HOME };
    expect(() => findToolchain(env)).toThrow(/expected an absolute path in HOME/);
  });
});
