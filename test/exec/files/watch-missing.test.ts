import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FileWatches } from "../../../src/exec/server/files/file-watches.ts";
import { parseAbsolutePath, parsePathUri } from "../../../src/policy/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { contextFor, fileClient, hostFor, uri } from "./support/file-client.ts";

const watching = { result: { watching: true } };
const notWatching = { result: { watching: false } };

describe("fs/watchMissing", () => {
  it("tells once when a missing path appears, also below a missing folder", async () => {
    const folder = temporaryFolder();
    const { call, notified } = fileClient();
    const missing = [uri(folder, "a/b/f"), uri(folder, "g")];
    expect(await call("fs/watchMissing", { watchId: 1, missing, present: null })).toEqual(watching);
    fs.mkdirSync(path.join(folder, "a/b"), { recursive: true });
    fs.writeFileSync(path.join(folder, "a/b/f"), "");
    expect(await notified()).toMatchObject({ method: "fs/missingChanged", params: { watchId: 1 } });
    fs.writeFileSync(path.join(folder, "g"), "");
    expect(await call("fs/watchMissing", { watchId: 2, missing: [] })).toEqual(notWatching);
  });

  it("tells when it appears in a folder that was put in the place of another", async () => {
    const folder = temporaryFolder({ "sub/f": "" });
    const { call, notified } = fileClient();
    const asked = { watchId: 1, missing: [uri(folder, "sub/x")] };
    expect(await call("fs/watchMissing", asked)).toEqual(watching);
    fs.rmSync(path.join(folder, "sub"), { recursive: true });
    fs.mkdirSync(path.join(folder, "sub"));
    await sleep(300);
    fs.writeFileSync(path.join(folder, "sub/x"), "");
    expect(await notified()).toMatchObject({ params: { watchId: 1 } });
  });

  it("tells when what was present is removed", async () => {
    const folder = temporaryFolder({ f: "" });
    const { call, notified } = fileClient();
    const asked = { watchId: 5, missing: [uri(folder, "g")], present: uri(folder, "f") };
    expect(await call("fs/watchMissing", asked)).toEqual(watching);
    fs.rmSync(path.join(folder, "f"));
    expect(await notified()).toMatchObject({ params: { watchId: 5 } });
  });

  it("does not watch what is there, nothing, too much, or under a number that was used", async () => {
    const folder = temporaryFolder({ f: "" });
    const { call } = fileClient();
    const watch = (watchId: number, missing: string[]) =>
      call("fs/watchMissing", { watchId, missing: missing.map((name) => uri(folder, name)) });
    expect(await watch(1, ["f"])).toEqual(notWatching);
    expect(await watch(2, [])).toEqual(notWatching);
    const many = Array.from({ length: 257 }, (_, index) => `x${index}`);
    expect(await watch(3, many)).toEqual(notWatching);
    expect(await watch(4, many.slice(1))).toEqual(watching);
    expect(await watch(4, ["g"])).toEqual(notWatching);
    expect(await watch(3, ["g"])).toEqual(notWatching);
  });

  it("answers for a path that cannot be looked at: it cannot be told whether it is missing", async () => {
    const folder = temporaryFolder();
    fs.symlinkSync("circle", path.join(folder, "circle"));
    const { call } = fileClient();
    for (const [watchId, name] of ["circle/a/b", `${"x".repeat(300)}/a`].entries()) {
      const asked = { watchId, missing: [uri(folder, name)] };
      expect(await call("fs/watchMissing", asked)).toEqual(notWatching);
    }
  });

  it("tells nothing of a path that the intent hides", async () => {
    const base = fs.realpathSync(temporaryFolder({ "ws/f": "", "out/f": "" }));
    const { call, notified } = fileClient();
    const sandbox = contextFor(path.join(base, "ws"), [
      [":minimal", "read"],
      [":workspace_roots", "write"],
    ]);
    const missing = [uri(base, "out/f"), uri(base, "ws/g")];
    expect(await call("fs/watchMissing", { watchId: 1, missing, sandbox })).toEqual(watching);
    fs.rmSync(path.join(base, "out/f"));
    fs.writeFileSync(path.join(base, "out/f"), "");
    fs.writeFileSync(path.join(base, "ws/g"), "");
    expect(await notified()).toMatchObject({ params: { watchId: 1 } });
  });

  it("tells, and goes on, when the intent does not hold any more", async () => {
    const base = fs.realpathSync(temporaryFolder({ "in/ws/f": "", "out/f": "" }));
    const at = (...names: string[]) => path.join(base, ...names);
    fs.symlinkSync(at("in/ws"), at("in/link"));
    const { call, notified } = fileClient(hostFor({ roots: [parseAbsolutePath(at("in"))] }));
    const sandbox = contextFor(at("in/link"), [[":workspace_roots", "write"]]);
    const asked = { watchId: 1, missing: [uri(at("in/link"), "g")], sandbox };
    expect(await call("fs/watchMissing", asked)).toEqual(watching);
    fs.symlinkSync(at("out"), at("in/next"));
    fs.renameSync(at("in/next"), at("in/link"));
    fs.writeFileSync(at("in/ws/h"), "");
    expect(await notified()).toMatchObject({ params: { watchId: 1 } });
    const { error } = await call("fs/watchMissing", { ...asked, watchId: 2 });
    expect(error?.message).toContain("as a workspace root");
  });

  it("tells, and goes on, when a path cannot be followed any more", async () => {
    const folder = temporaryFolder({ "a/f": "" });
    const { call, notified } = fileClient();
    const asked = { watchId: 1, missing: [uri(folder, "a/b/c")] };
    expect(await call("fs/watchMissing", asked)).toEqual(watching);
    fs.symlinkSync("b", path.join(folder, "a/b"));
    expect(await notified()).toMatchObject({ params: { watchId: 1 } });
  });

  it("looks at paths far below a missing folder without going up all of it", async () => {
    const folder = temporaryFolder();
    const missing = Array.from({ length: 256 }, (_, index) =>
      parsePathUri(uri(folder, `${index}/${"a/".repeat(1900)}f`)),
    );
    const watches = new FileWatches(() => {});
    const watched = { missing, present: undefined, isThere: async () => false };
    for (let watchId = 1; watchId <= 64; watchId += 1) {
      expect(await watches.watch(watchId, watched)).toBe(true);
    }
    watches.closeAll();
  }, 30_000);
});
