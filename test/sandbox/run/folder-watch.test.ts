import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FolderWatch, watchFolder } from "../../../src/sandbox/run/folder-watch.ts";
import { pathIdentities } from "../../../src/sandbox/run/path-identity.ts";
import { type InPlace, watchMountPoints } from "../../../src/sandbox/run/watch-mount-points.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function opened<T extends Pick<FolderWatch, "close">>(watch: T): T {
  onTestFinished(() => watch.close());
  return watch;
}

/** The names that a watch tells of. */
function namesIn(folder: string): string[] {
  const names: string[] = [];
  opened(watchFolder(folder, (_, name) => names.push(name ?? "itself")));
  return names;
}

/** How often the kernel watches a folder for this process. */
function watchesOn(folder: string): number {
  const inode = `ino:${fs.statSync(folder).ino.toString(16)} `;
  const texts = fs.readdirSync("/proc/self/fdinfo").map((fd) => {
    try {
      return fs.readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
  return texts.join("").split(inode).length - 1;
}

describe("watchFolder", () => {
  it("tells everybody of what happens in it, until they close", async () => {
    const folder = temporaryFolder();
    const [first, names] = [watchFolder(folder, () => {}), namesIn(folder)];
    first.close();
    fs.writeFileSync(path.join(folder, "made"), "");
    await expect.poll(() => names).toContain("made");
  });

  it("is one for all, and stays for the next", () => {
    const folder = temporaryFolder();
    const both = [watchFolder(folder, () => {}), watchFolder(folder, () => {})];
    expect(watchesOn(folder)).toBe(1);
    for (const one of both) one.close();
    expect(watchesOn(folder)).toBe(1);
  });

  it("ends with its last user where there is no next one", async () => {
    vi.resetModules();
    const lone = await import("../../../src/sandbox/run/folder-watch.ts");
    lone.keepNoWatches();
    const folder = temporaryFolder();
    const [one, other] = [lone.watchFolder(folder, () => {}), lone.watchFolder(folder, () => {})];
    one.close();
    expect(watchesOn(folder)).toBe(1);
    other.close();
    expect(watchesOn(folder)).toBe(0);
  });

  it("is a new one where another folder has taken the place", async () => {
    const base = temporaryFolder({ "a/f": "", "b/f": "" });
    const [a, b] = [path.join(base, "a"), path.join(base, "b")];
    const old = namesIn(a);
    fs.renameSync(a, path.join(base, "gone"));
    fs.renameSync(b, a);
    const names = namesIn(a);
    fs.writeFileSync(path.join(a, "made"), "");
    fs.writeFileSync(path.join(base, "gone/other"), "");
    await expect.poll(() => names).toContain("made");
    await expect.poll(() => old).toContain("other");
    expect([names.includes("other"), old.includes("made")]).toEqual([false, false]);
  });

  it("is a new one after the folder went and came back under the same name", async () => {
    const base = temporaryFolder({ "a/f": "" });
    const folder = path.join(base, "a");
    watchFolder(folder, () => {}).close();
    fs.rmSync(folder, { recursive: true });
    fs.mkdirSync(folder);
    const names = namesIn(folder);
    fs.writeFileSync(path.join(folder, "made"), "");
    await expect.poll(() => names).toContain("made");
  });

  it("throws what the system says of a folder that is not there", () => {
    expect(() => watchFolder("/nonexistent/folder", () => {})).toThrow(/ENOENT/);
  });
});

describe("watchMountPoints on a watch that others had before", () => {
  function place() {
    const folder = temporaryFolder();
    namesIn(folder);
    const point = path.join(folder, ".git");
    const lost: string[] = [];
    const watch = async (inPlace: InPlace = "yes") => {
      const before = pathIdentities([point]);
      const points = { before, inPlace: () => inPlace };
      const watching = await watchMountPoints(points, (one) => lost.push(one));
      opened(watching);
      return watching;
    };
    return { folder, point, lost, watch };
  }

  it("does not take for a loss what happened before", async () => {
    const { point, lost, watch } = place();
    fs.mkdirSync(point);
    await watch();
    await sleep(20);
    expect(lost).toEqual([]);
  });

  it("notices what happens before it is ready", async () => {
    const { folder, point, lost, watch } = place();
    fs.mkdirSync(point);
    const ready = watch();
    fs.renameSync(point, path.join(folder, "gone"));
    await ready;
    expect(lost).toEqual([point]);
  });

  it("notices what went and came back after it was ready", async () => {
    const { folder, point, lost, watch } = place();
    fs.mkdirSync(point);
    await watch();
    fs.renameSync(point, path.join(folder, "gone"));
    fs.renameSync(path.join(folder, "gone"), point);
    await expect.poll(() => lost).toEqual([point]);
  });

  it.each([
    ["while mounts are made, takes for a loss", "unknown"],
    ["once a mount is elsewhere, takes for a loss", "no"],
    ["once all mounts are in place, does not take for one", "yes"],
  ] as const)("%s a folder further up that went and came back", async (_, inPlace) => {
    const { folder, point, lost, watch } = place();
    fs.mkdirSync(point);
    const watching = await watch(inPlace);
    fs.renameSync(folder, `${folder}-gone`);
    fs.renameSync(`${folder}-gone`, folder);
    await watching.heard();
    expect(lost).toEqual(inPlace === "yes" ? [] : [point]);
  });

  it("while mounts are made, does not take new times of a folder for a rename", async () => {
    const base = temporaryFolder({ "ws/.git/config": "" });
    const ws = path.join(base, "ws");
    await sleep(50);
    const lost: string[] = [];
    const before = pathIdentities([path.join(ws, ".git")]);
    const points = { before, inPlace: () => "unknown" as const };
    const watching = opened(await watchMountPoints(points, (one) => lost.push(one)));
    for (const time of [1, 2, 3]) {
      fs.utimesSync(ws, time, time);
      fs.chmodSync(ws, 0o700 + time);
      await watching.heard();
    }
    expect(lost).toEqual([]);
    fs.renameSync(ws, `${ws}-gone`);
    fs.renameSync(`${ws}-gone`, ws);
    await watching.heard();
    expect(lost).toEqual([path.join(ws, ".git")]);
  });

  it("notices a folder that was another one only while its watch was opened", async () => {
    const base = temporaryFolder({ "ws/sub/keep/f": "", "ws/decoy/keep/f": "" });
    const [sub, decoy] = [path.join(base, "ws/sub"), path.join(base, "ws/decoy")];
    const swap = () => {
      fs.renameSync(sub, `${sub}-gone`);
      fs.renameSync(decoy, sub);
      fs.renameSync(`${sub}-gone`, decoy);
    };
    const lost: string[] = [];
    const before = pathIdentities([path.join(sub, "keep")]);
    swap();
    const watching = watchMountPoints({ before, inPlace: () => "yes" }, (one) => lost.push(one));
    swap();
    opened(await watching);
    expect(lost).toEqual([path.join(sub, "keep")]);
  });

  it("looks by itself before it says that all is heard", async () => {
    const { folder, point, lost, watch } = place();
    fs.mkdirSync(point);
    const watching = await watch();
    const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    const files = ["a", "b"].map((name) => fs.openSync(path.join(folder, name), "w"));
    for (let count = 0; count <= most; count += 1) for (const fd of files) fs.writeSync(fd, "x", 0);
    for (const fd of files) fs.closeSync(fd);
    fs.renameSync(point, path.join(folder, "gone"));
    await watching.heard();
    expect(lost).toEqual([point]);
  });

  it("tells nothing once it is closed", async () => {
    const { folder, point, lost, watch } = place();
    fs.mkdirSync(point);
    (await watch()).close();
    fs.renameSync(point, path.join(folder, "gone"));
    await sleep(20);
    expect(lost).toEqual([]);
  });

  it("sees what is replaced while more happens than the kernel keeps", async () => {
    const base = temporaryFolder({ "ws/.git/config": "", "ws/a": "", "ws/b": "" });
    const ws = path.join(base, "ws");
    const point = path.join(ws, ".git");
    const lost: string[] = [];
    const before = pathIdentities([point]);
    opened(await watchMountPoints({ before, inPlace: () => "yes" }, (one) => lost.push(one)));
    const most = Number(fs.readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    const files = ["a", "b"].map((name) => fs.openSync(path.join(ws, name), "w"));
    for (let count = 0; count <= most; count += 1) for (const fd of files) fs.writeSync(fd, "x", 0);
    for (const fd of files) fs.closeSync(fd);
    fs.renameSync(point, path.join(base, "old"));
    fs.mkdirSync(point);
    await expect.poll(() => lost).toEqual([point]);
  });

  it("leaves others their turn, however fast a folder is changed", async () => {
    const folder = temporaryFolder();
    const begun = Date.now();
    const isOn = () => Date.now() - begun < 5000;
    let count = 0;
    const touch = () => fs.writeFileSync(path.join(folder, `f${count++ % 4}`), "x");
    const told: string[] = [];
    const watch = watchFolder(folder, (event) => {
      told.push(event);
      if (isOn()) for (let one = 0; one < 2; one += 1) touch();
    });
    touch();
    await sleep(50);
    expect(isOn()).toBe(true);
    expect(told).toContain("missed");
    watch.close();
  });
});
