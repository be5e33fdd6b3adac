/**
 * What the first command of a session boots, without writ: a sandbox that holds a network, and a command
 * with the same mounts that joins it.
 *
 * Nothing is looked at, watched, filtered or put on record.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Duplex } from "node:stream";
import { anchorsFolder } from "../src/exec/anchors/anchor-folder.ts";
import { makeAnchorFolder } from "../src/exec/anchors/make-anchor-folder.ts";
import type { ExecHost } from "../src/exec/exec-host.ts";
import { planStart } from "../src/exec/plan-start.ts";
import { parseAbsolutePath, uriOfNative } from "../src/policy/index.ts";
import { locateNsenter } from "../src/sandbox/anchor/locate-nsenter.ts";
import { planAnchor } from "../src/sandbox/anchor/plan-anchor.ts";
import type { LaunchPlan } from "../src/sandbox/index.ts";
import { libc, loadLibc } from "../src/sandbox/native/libc.ts";
import { spawnNatively } from "../src/sandbox/native/spawn-natively.ts";
import type { Child } from "../src/sandbox/run/child.ts";
import { bareArgs, makePlaceholders } from "./bare-call.ts";
import { intentFor } from "./intent-for.ts";

/** Starts a program with three streams that nobody uses, and more of them. */
type Start = (
  program: string,
  args: readonly string[],
  more: readonly "pipe"[],
  cwd?: string,
) => Child;

/** How long it takes. What it needs on the disk is there before. */
export async function timeBareBoot(
  host: ExecHost,
  workspace: string,
  start: Start,
): Promise<number> {
  const folder = await makeAnchorFolder(anchorsFolder(host.records));
  const plan = await planJoining(host, workspace, folder);
  const clean = makePlaceholders(plan);
  await loadLibc();
  const begin = performance.now();
  const { holder, pid } = await hold(plan, start);
  const code = await join(plan, pid, start);
  const took = performance.now() - begin;
  holder.kill("SIGKILL");
  // They would keep this process waiting.
  for (const stream of holder.stdio) stream?.destroy();
  clean();
  await folder.remove();
  if (code !== 0) throw new Error(`Cannot compare: the bare boot exited with ${code}`);
  return took;
}

const [USER, NETWORK] = ["<user>", "<network>"];

/** The first command of a session in that folder; which network it joins is not known yet. */
async function planJoining(
  host: ExecHost,
  workspace: string,
  folder: Awaited<ReturnType<typeof makeAnchorFolder>>,
): Promise<LaunchPlan> {
  const network = { nsenter: locateNsenter(), user: USER, network: NETWORK, identity: "" };
  const { home, tmp, shelf } = folder;
  const own = { ...host.own, hidden: [...host.own.hidden, anchorsFolder(host.records)] };
  const request = {
    ...{ processId: "bare", argv: ["/bin/true"], arg0: null, cwd: uriOfNative(workspace) },
    ...{ envPolicy: null, env: {}, terminal: null, pipeStdin: false, ids: {}, anchor: "bare" },
    sandbox: intentFor(workspace),
  };
  const over = new AbortController().signal;
  return (await planStart(request, { ...host, own }, { home, tmp, shelf, network, over })).plan;
}

/** It reads a byte when its network is there, and waits for a filter then, for good. */
async function hold({ argv: [bwrap] }: LaunchPlan, start: Start) {
  const args = bareArgs(planAnchor(parseAbsolutePath(bwrap))).slice(0, -2);
  const signs = ["--block-fd", "3", "--seccomp", "4", "--json-status-fd", "5", "--", "/"];
  const holder = start(bwrap, [...args, ...signs], ["pipe", "pipe", "pipe"]);
  const [, , , built, , status] = holder.stdio as readonly Duplex[];
  if (built === undefined || status === undefined) throw new Error("Cannot compare: no signs");
  built.end("\n").resume();
  const [[told]] = await Promise.all([once(status, "data"), once(built, "close")]);
  return { holder, pid: Number(/"child-pid": (\d+)/.exec(String(told))?.[1]) };
}

function join(plan: LaunchPlan, pid: number, start: Start): Promise<number> {
  const prefix = plan.prefix.map((word) =>
    word.replace(USER, `/proc/${pid}/ns/user`).replace(NETWORK, `/proc/${pid}/ns/net`),
  );
  const [program = "", ...args] = [...prefix, plan.argv[0], ...bareArgs(plan)];
  const child = start(program, args, [], plan.cwd);
  return new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? -1));
  });
}

/** As any program on Node does. */
export const byNode: Start = (program, args, more, cwd = path.sep) =>
  spawn(program, args, { cwd, env: {}, stdio: ["ignore", "ignore", "ignore", ...more] });

/** Without a copy of this process, as writ does. */
export const byLibc: Start = (program, args, more, cwd = path.sep) => {
  const library = libc();
  const stdio = ["ignore", "ignore", "ignore", ...more] as const;
  const child =
    library && spawnNatively(library, { program, args, cwd, env: {}, stdio, detached: false });
  if (child === undefined) throw new Error("Cannot compare: koffi is not installed");
  return child;
};
