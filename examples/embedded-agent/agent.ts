/**
 * An agent in one file: the built-in model, one thread, and a policy for each turn.
 *
 *   node examples/embedded-agent/agent.ts 'read-only: touch made.txt' 'workspace-write: touch made.txt'
 *
 * A real model takes the place of `offlineModels` (see `createAiModels`); nothing else changes.
 */
import { randomUUID } from "node:crypto";
import os from "node:os";
import path from "node:path";
import {
  createAgent,
  OFFLINE_CHOICE,
  offlineModels,
  type TurnFrame,
  type TurnItem,
  type TurnPort,
} from "writ/agent";
import { loadCeilings } from "writ/config";
import { openLocalMachine } from "writ/exec";
import {
  parseAbsolutePath,
  policyForMode,
  profileOfPolicy,
  SandboxMode,
  uriOfNative,
} from "writ/policy";
import { openSessionStore } from "writ/session";

const home = parseAbsolutePath(process.env.WRIT_HOME ?? path.join(os.homedir(), ".writ"));
const ceilings = await loadCeilings(home);
const { executor } = openLocalMachine({ home, ceilings, waivers: "refused" });
const agent = createAgent({
  executors: async () => executor,
  sessions: openSessionStore(home),
  models: offlineModels,
});
const thread = agent.openThread(randomUUID());
const history: TurnItem[] = [];

/** Prints what was done. Nobody is there to be asked, so every question is answered by a no. */
const port: TurnPort = {
  signal: new AbortController().signal,
  emit(...events) {
    for (const event of events) {
      if (event.kind !== "itemCompleted") continue;
      history.push(event.item);
      if (event.item.type === "agentMessage") console.log(`< ${event.item.text}`);
      if (event.item.type === "commandExecution") console.log(`- ${event.item.command}`);
    }
  },
  approve: async () => "decline",
  renew: async () => {},
  askPermissions: async () => ({ given: { network: false, files: [] }, scope: "turn" }),
  grant: () => Promise.reject(new Error("Nothing is granted here")),
  callClient: () => Promise.reject(new Error("There is no client")),
  takeSteered: () => [],
};

/** What holds for one turn, from its first tool to its last. */
function frameOf(mode: SandboxMode): TurnFrame {
  const cwd = uriOfNative(process.cwd());
  return {
    profile: profileOfPolicy(policyForMode(mode)),
    cwd,
    workspaceRoots: [cwd],
    era: 0,
    granted: [],
    approval: "never",
    model: OFFLINE_CHOICE,
    instructions: null,
    environment: "local",
    clientTools: [],
  };
}

for (const argument of process.argv.slice(2)) {
  const [word, line = ""] = argument.split(/: (.*)/s);
  const { data: mode } = SandboxMode.safeParse(word);
  if (mode === undefined) {
    const modes = SandboxMode.options.join(", ");
    console.error(`usage: node examples/embedded-agent/agent.ts 'MODE: LINE'...; MODE: ${modes}`);
    process.exitCode = 2;
    break;
  }
  const content = [{ type: "text", text: line, text_elements: [] }] as const;
  const input = { id: randomUUID(), clientId: null, content };
  const frame = frameOf(mode);
  await thread.runTurn({ turn: randomUUID(), history, input, frame }, port);
}
await agent.close();
await executor.close();
