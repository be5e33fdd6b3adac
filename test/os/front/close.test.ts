/** What is left of a sandbox when `close` has settled. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../../src/front/index.ts";

it("nothing lies in the workspace once a sandbox is closed, whatever was built ahead", async () => {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, left] = [path.join(base, "home"), new Map<number, string[]>()];
  for (let pause = 20; pause < 50; pause += 1) {
    const workspace = path.join(base, `ws-${pause}`);
    mkdirSync(workspace);
    const sandbox = await openSandbox({ policy: "workspace-write", workspace, home });
    await sandbox.run(["true"]);
    await sleep(pause);
    await sandbox.close();
    left.set(pause, readdirSync(workspace));
  }
  expect([...left].filter(([, names]) => names.length > 0)).toEqual([]);
});

it("a sandbox is closed where its variable goes out of use", async () => {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace] = [path.join(base, "home"), path.join(base, "ws")];
  mkdirSync(workspace);
  const ran = async () => {
    await using sandbox = await openSandbox({ policy: "workspace-write", workspace, home });
    return { sandbox, first: await sandbox.run(["true"]) };
  };
  const { sandbox, first } = await ran();
  expect(first.exitCode).toBe(0);
  expect(readdirSync(workspace)).toEqual([]);
  await expect(sandbox.run(["true"])).rejects.toThrow("Cannot");
});

it("no half of a file lies in the workspace once a sandbox is closed while it is written", async () => {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, left] = [path.join(base, "home"), new Map<number, string[]>()];
  const input = { path: "file", content: "x".repeat(100_000) };
  for (let pause = 0; pause < 30; pause += 2) {
    const workspace = path.join(base, `ws-${pause}`);
    mkdirSync(workspace);
    const sandbox = await openSandbox({ policy: "workspace-write", workspace, home });
    await sandbox.run(["true"]);
    const { signal } = new AbortController();
    const writing = sandbox.tools.execute({ tool: "writeFile", input, signal });
    const written = writing.catch(() => {});
    await sleep(pause);
    await sandbox.close();
    await written;
    left.set(pause, readdirSync(workspace));
  }
  const halves = [...left].map(([pause, names]) => [
    pause,
    names.filter((name) => name !== "file"),
  ]);
  expect(halves.filter(([, names]) => (names as string[]).length > 0)).toEqual([]);
});

it("no file of its home is open once a sandbox is closed, also where it is closed twice", async () => {
  const base = mkdtempSync(path.join("/var/tmp", "writ-front-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace] = [path.join(base, "home"), path.join(base, "ws")];
  mkdirSync(workspace);
  const sandbox = await openSandbox({ policy: "workspace-write", workspace, home });
  await sandbox.run(["true"]);
  expect(openBelow(home)).not.toEqual([]);
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  expect(openBelow(home)).toEqual([]);
});

/** What this process has open there. */
function openBelow(folder: string): string[] {
  const open = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The one that listed them.
      return "";
    }
  });
  return open.filter((file) => file.startsWith(`${folder}/`));
}
