/** Commands that follow each other on one exec-server, and the sandboxes that it has built ahead of them. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExecLab, startLab } from "../../exec-server/support/exec-lab.ts";
import type { WireClient, Wired } from "../../exec-server/support/wire-client.ts";
import { workspaceWrite } from "../../exec-server/support/wire-intent.ts";
import { closed, type Heard, startOf } from "../../exec-server/support/wire-process.ts";
import { childrenOf, made } from "../../launch/live-run.ts";
import type { SandboxUser } from "../../support/sandbox-user.ts";

export interface SpareLab {
  readonly lab: ExecLab;
  readonly workspace: string;
  /** Runs a command to its end, under workspace-write unless something else is said. */
  run(script: string, more?: Wired): Promise<Heard>;
  /** The same, and whether it ran in that sandbox. */
  ranIn(
    launcher: number,
    script: string,
    more?: Wired,
  ): Promise<Heard & { readonly used: boolean }>;
  /** The same in one that was built ahead; again where that was not there yet, or any more. */
  inSpare(script: string, more?: Wired): Promise<Heard>;
  /** Runs a command and gives the sandbox that was built ahead of the next; by the number of its launcher. */
  spare(more?: Wired): Promise<number>;
  /** The launchers of all its sandboxes. */
  launchers(): number[];
}

export async function spareLab(user: SandboxUser): Promise<SpareLab> {
  const lab = await startLab({ user });
  const client = await lab.client();
  const { workspace } = lab.place;
  const confined = { sandbox: workspaceWrite([workspace]) };
  const launchers = () => childrenOf(lab.server.pid ?? 0).filter(isLauncher);
  const self: SpareLab = {
    lab,
    workspace,
    launchers,
    async inSpare(script, more) {
      for (;;) {
        const { used, ...heard } = await self.ranIn(await self.spare(more), script, more);
        if (used) return heard;
      }
    },
    run: (script, more = {}) =>
      toItsEnd(client, startOf(workspace, script, { ...confined, ...more })),
    async ranIn(launcher, script, more = {}) {
      count += 1;
      const [ready, go] = [`ready-${count}`, `go-${count}`];
      const waiting = `touch ${ready}; until [ -e ${go} ]; do sleep 0.01; done; ${script}`;
      const told = toItsEnd(client, startOf(workspace, waiting, { ...confined, ...more }));
      await Promise.race([made(lab.place, ready), told]);
      const used = childrenOf(lab.server.pid ?? 0).includes(launcher) && runsIn(launcher);
      writeFileSync(path.join(workspace, go), "");
      return { ...(await told), used };
    },
    async spare(more = {}) {
      const before = new Set(launchers());
      const found = () => launchers().find((one) => !before.has(one) && stands(one));
      for (;;) {
        await toItsEnd(client, startOf(workspace, "true", { ...confined, ...more }));
        await within(PATIENCE_MS, () => found() !== undefined);
        // The server hears of it a moment later. On a busy machine that can be too late.
        await sleep(100);
        const spare = found();
        if (spare !== undefined) return spare;
      }
    },
  };
  return self;
}

let count = 0;

/** It is there for as long as this at most. */
const PATIENCE_MS = 2000;

async function within(ms: number, holds: () => boolean): Promise<void> {
  const end = performance.now() + ms;
  while (!holds() && performance.now() < end) await sleep(5);
}

async function toItsEnd(client: WireClient, params: ReturnType<typeof startOf>): Promise<Heard> {
  await client.call("process/start", params);
  return closed(client, params.processId);
}

function isLauncher(pid: number): boolean {
  return textOf(`/proc/${pid}/comm`) === "bwrap\n";
}

/** Its first process waits to read the filter, which is large; the sign that all is built is one byte. */
function stands(launcher: number): boolean {
  const [first] = childrenOrNone(launcher);
  const [call, , , size] = textOf(`/proc/${first}/syscall`).split(" ");
  return call === "0" && Number(size) > 1;
}

/** Whether it has a command. */
function runsIn(launcher: number): boolean {
  const [first] = childrenOrNone(launcher);
  return first !== undefined && childrenOrNone(first).length > 0;
}

function childrenOrNone(pid: number): number[] {
  try {
    return childrenOf(pid);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
