/** A thread whose tools are called one by one, and what their items say. */
import path from "node:path";
import { expect } from "vitest";
import type { ApprovalAnswer, TurnEvent, TurnItem } from "../../../../src/agent/index.ts";
import type { SandboxMode } from "../../../../src/policy/index.ts";
import { call, profileIn } from "../../../agent/support/turn-lab.ts";
import type { OpenAgent } from "./agent-lab.ts";

interface Calls {
  readonly mode?: SandboxMode;
  readonly answers?: readonly ApprovalAnswer[];
  readonly frame?: object;
  readonly onEvent?: (event: TurnEvent) => void;
}

/** A thread whose model makes the calls that a test queues, one a turn. */
export async function callLab(
  agentLab: OpenAgent,
  { mode = "workspace-write", answers = [], frame, onEvent = () => {} }: Calls = {},
) {
  const queue: ReturnType<typeof call>[] = [];
  const respond = async function* () {
    const next = queue.shift();
    if (next !== undefined) yield next;
  };
  const lab = await agentLab(mode, {
    ...{ answers, onEvent, models: { find: () => ({ respond }) } },
    frame: { ...frame } as never,
  });
  const tool = async (name: string, input: unknown, more: object = {}): Promise<TurnItem> => {
    queue.push(call(name, input));
    expect(await lab.run("go", more)).toMatchObject({ status: "completed" });
    const item = lab.completed().at(-1);
    if (item === undefined) throw new Error("there is no item");
    return item;
  };
  const at = (name: string) => path.join(lab.workspace, name);
  return { ...lab, tool, at };
}

/** What the model was told. */
export const output = (item: TurnItem) => ("call" in item ? (item.call?.output ?? "") : "");
/** The workspace is open but for this name in it. */
export function denying(workspace: string, name: string) {
  const profile = profileIn("workspace-write");
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") throw new Error();
  const entry = { access: "deny", target: { type: "path", path: `file://${workspace}/${name}` } };
  const entries = [...profile.fileSystem.entries, entry as never];
  return { profile: { ...profile, fileSystem: { ...profile.fileSystem, entries } } };
}

/** Nothing is open but the workspace, to be written, and what programs need to start. */
export function openOnly(workspace: string) {
  const profile = profileIn("workspace-write");
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") throw new Error();
  const entries = [
    { access: "read", target: { type: "minimal" } },
    { access: "write", target: { type: "path", path: `file://${workspace}` } },
  ] as never;
  return { ...profile, fileSystem: { ...profile.fileSystem, entries } };
}
