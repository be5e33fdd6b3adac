/** Builds that die, meet each other or run out of room, with the built program. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Place, placeFor, USERS } from "../support/sandbox-user.ts";
import { HELLO, openRegistry, type Registry, WORDS } from "./support/registry.ts";
import { endOf, helloFrom, runWrit, settings, startWrit } from "./support/run-writ.ts";

const PATIENT = { timeout: 60_000 };
const BUILD = ["snapshot", "build"];

const layersIn = ({ env }: Place) => {
  const folder = path.join(env.WRIT_HOME ?? "", "snapshots");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const listOf = async (place: Place) =>
  JSON.parse((await runWrit(place, ["snapshot", "list", "--json"])).stdout);
const tarballs = ({ asked }: Registry) => asked.filter((one) => one.endsWith("hello-1.0.0.tgz"));

/** A place whose build waits for the test in the middle of an install. */
async function heldBuild(user: (typeof USERS)[number]) {
  const place = placeFor(user);
  const registry = await openRegistry(HELLO, WORDS);
  settings(place, helloFrom(registry.url));
  const gate = Promise.withResolvers<void>();
  registry.gate = gate.promise;
  onTestFinished(() => gate.resolve());
  return { place, registry, open: gate.resolve };
}

describe.each(USERS)("a build that is disturbed, as %s", (user) => {
  it("publishes nothing when its process is killed, and the next one builds", async () => {
    const { place, registry, open } = await heldBuild(user);
    const child = startWrit(place, BUILD);
    await expect.poll(() => tarballs(registry).length, PATIENT).toBe(1);
    const [left] = layersIn(place);
    expect(left).toBeDefined();
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    expect(await listOf(place)).toEqual([]);
    open();
    expect(await runWrit(place, BUILD)).toMatchObject({ status: 0 });
    expect(await listOf(place)).toHaveLength(1);
    expect(layersIn(place)).toHaveLength(1);
    expect(layersIn(place)).not.toContain(left);
    expect((await runWrit(place, ["chat"], ["hello"])).stdout).toContain(
      "| hello from a package\n",
    );
  });

  it("leaves nothing when it is told to stop", async () => {
    const { place, registry } = await heldBuild(user);
    const child = startWrit(place, BUILD);
    const ending = endOf(child);
    await expect.poll(() => tarballs(registry).length, PATIENT).toBe(1);
    child.kill("SIGTERM");
    expect(await ending).toMatchObject({
      ...{
        status: 1,
        stderr: expect.stringContaining("Cannot build the snapshot: it was cancelled"),
      },
    });
    expect([await listOf(place), layersIn(place)]).toEqual([[], []]);
  });

  it("builds once for several who want it at the same time", async () => {
    const { place, registry, open } = await heldBuild(user);
    const all = [startWrit(place, BUILD), startWrit(place, BUILD), startWrit(place, BUILD)];
    const ends = all.map(endOf);
    await expect.poll(() => tarballs(registry).length, PATIENT).toBe(1);
    open();
    const ran = await Promise.all(ends);
    expect(ran.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(new Set(ran.map(({ stdout }) => stdout.slice(0, 16))).size).toBe(1);
    expect(ran.filter(({ stdout }) => stdout.includes("built (missing)"))).toHaveLength(1);
    expect(tarballs(registry)).toHaveLength(1);
    expect(layersIn(place)).toHaveLength(1);
  });
});

/** Only root may mount a small disk; both users run the same code on the same errors. */
describe.each(USERS.filter((user) => user === "root"))("a disk without room, as %s", (user) => {
  /** A home on a disk of its own, and how that is made larger. */
  function homeOnDisk(room: string) {
    const place = placeFor(user);
    const home = place.env.WRIT_HOME ?? "";
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const mount = (...args: string[]) => expect(spawnSync("mount", args).status).toBe(0);
    mount("-t", "tmpfs", "-o", `${room},mode=700`, "tmpfs", home);
    onTestFinished(() => void spawnSync("umount", ["-l", home]));
    return { place, grow: (larger: string) => mount("-o", `remount,${larger}`, home) };
  }

  async function buildsOnceGrown(place: Place): Promise<void> {
    expect(await runWrit(place, BUILD)).toMatchObject({ status: 0, stderr: "" });
    expect(await listOf(place)).toHaveLength(1);
  }

  it("refuses a build whose disk gets full, publishes nothing, and goes on once there is room", async () => {
    // Of names, not of bytes: a disk that runs out of these is left to its end.
    const { place, grow } = homeOnDisk("size=1g,nr_inodes=400");
    const many = Array.from({ length: 600 }, (_, at) => [`file-${at}.txt`, "text"]);
    const registry = await openRegistry({
      ...HELLO,
      manifest: { bin: { hello: "hello.js" } },
      files: { ...HELLO.files, ...Object.fromEntries(many) },
    });
    settings(place, helloFrom(registry.url));
    const refused = await runWrit(place, BUILD);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("ENOSPC");
    expect(refused.stderr).toMatch(
      /writ: Cannot build the snapshot: "npm install" (?:exited with|left something out)/,
    );
    expect([await listOf(place), layersIn(place)]).toEqual([[], []]);
    grow("nr_inodes=10000");
    await buildsOnceGrown(place);
  });

  it("begins no build where too little room is left, and goes on once there is some", async () => {
    const { place, grow } = homeOnDisk("size=16m");
    const registry = await openRegistry(HELLO, WORDS);
    settings(place, helloFrom(registry.url));
    const refused = await runWrit(place, BUILD);
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain("it leaves too little room on the disk");
    expect([await listOf(place), layersIn(place)]).toEqual([[], []]);
    grow("size=1g");
    await buildsOnceGrown(place);
  });
});
