/** An executor with no descriptor left: starts are refused, the server lives, and nothing is lost for good. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { childrenOf } from "../launch/live-run.ts";
import { USERS } from "../support/sandbox-user.ts";
import { asUser, type SandboxUser } from "../support/users.ts";
import { type ExecLab, startLab } from "./support/exec-lab.ts";
import type { Wired } from "./support/wire-client.ts";
import { layOut, runUnder, workspaceWrite } from "./support/wire-intent.ts";

const AT_ONCE = 10;
/** How many more it may open, from too few for anything to enough for a command or two. */
const SPARE = Array.from({ length: 18 }, (_, step) => 2 + 4 * step);
const PATIENCE = { timeout: 10_000, interval: 100 };

describe.each(USERS)("an exec-server that runs out of open files, as %s", (user) => {
  it("refuses in a sentence what it cannot start, keeps nothing open for it, and serves on", async () => {
    const lab = await startLab({ user });
    const { place, server } = lab;
    const client = await lab.open();
    // Another root each time: what is made in one may linger, and would be there already.
    const root = (name: string) => {
      layOut(place.workspace, { [`${name}/`]: "" });
      return workspaceWrite([path.join(place.workspace, name)]);
    };
    const ran = async (script: string, sandbox: Wired) => {
      const told = await runUnder(client, place, { script, sandbox });
      return "message" in told ? told.message : told.stdout;
    };
    const burst = (sandbox: Wired) =>
      Promise.all(Array.from({ length: AT_ONCE }, () => ran("sleep 0.1; echo ran", sandbox)));

    expect(new Set(await burst(root("first")))).toEqual(new Set(["ran\n"]));
    // What is built ahead of the next command is open for a moment, and not for good.
    await vi.waitFor(
      () => expect(childrenOf(server.pid ?? 0).filter(isLauncher)).toEqual([]),
      PATIENCE,
    );
    const calm = keptOpen(lab);
    const told: string[] = [];
    for (const spare of SPARE) {
      const sandbox = root(`spare-${spare}`);
      limit(lab, user, fs.readdirSync(`/proc/${server.pid}/fd`).length + spare);
      told.push(...(await burst(sandbox)));
      limit(lab, user, "as before");
      expect(await ran("echo served", sandbox)).toBe("served\n");
    }
    const refused = told.filter((one) => one !== "ran\n");
    expect(refused.length).toBeGreaterThan(AT_ONCE);
    expect(refused.filter((one) => !one.includes("too many files are open"))).toEqual([]);
    await vi.waitFor(() => expect(keptOpen(lab)).toEqual(calm), PATIENCE);
  });
});

/** Without what it keeps for later commands, of which there may be more or fewer: pipes, and files of runs. */
function keptOpen({ server }: ExecLab): Readonly<Record<string, number>> {
  const folder = `/proc/${server.pid}/fd`;
  const kinds = fs.readdirSync(folder).map((fd) => kindOf(`${folder}/${fd}`));
  const counted = Object.groupBy(
    kinds.filter((kind) => !/^pipe|\/run-/.test(kind)),
    (kind) => kind,
  );
  return Object.fromEntries(
    Object.entries(counted).map(([kind, all = []]) => [kind, all.length] as const),
  );
}

function isLauncher(pid: number): boolean {
  return fs.readFileSync(`/proc/${pid}/comm`, "utf8") === "bwrap\n";
}

function kindOf(link: string): string {
  try {
    return fs.readlinkSync(link).replace(/:\[\d+\]$/, "");
  } catch {
    return "pipe";
  }
}

/** The most that it may open; its own user may say so, and raise it again. */
function limit({ server }: ExecLab, user: SandboxUser, most: number | "as before"): void {
  const limits = fs.readFileSync(`/proc/${server.pid}/limits`, "utf8");
  const [, hard] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits) ?? [];
  const soft = most === "as before" ? hard : most;
  const [program = "", ...args] = [...asUser(user), "prlimit", `--pid=${server.pid}`];
  const { status, stderr } = spawnSync(program, [...args, `--nofile=${soft}:`]);
  if (status !== 0) throw new Error(`Cannot limit the server: ${stderr}`);
}
