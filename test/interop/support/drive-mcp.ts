/** Lets the real Codex work for a scripted model that calls tools of MCP servers. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codexEnv, labFolder } from "./codex.ts";
import { modelConfig, type Place, runCodex } from "./drive-codex.ts";
import { type Said, scriptedModel, type Turn } from "./scripted-model.ts";

export interface McpTask {
  readonly place: Place;
  /** The command of each server, by its name. */
  readonly servers: Readonly<Record<string, readonly string[]>>;
  readonly turns: readonly Turn[];
  /** What `config.toml` says of the sandbox: members, and tables after them. */
  readonly settings?: string;
  readonly tables?: string;
}

export interface McpWork {
  readonly env: Record<string, string>;
  /** What the model was told of each of its calls, in order. */
  readonly outputs: () => readonly string[];
}

/** A server of this repository's examples, as a command. */
export const EXAMPLE = [
  process.execPath,
  path.resolve(import.meta.dirname, "../../../examples/sandboxed-shell/server.ts"),
];

/** A workspace that is no repository, what lies beside it, and a home for all programs. */
export function layOutMcp(): Place {
  const folder = labFolder();
  const [workspace, outside] = [path.join(folder, "ws"), path.join(folder, "outside")];
  for (const one of [workspace, outside]) mkdirSync(one);
  return { home: path.join(folder, "home"), workspace, outside };
}

/** A call of a tool of a server. */
export function callOf(server: string, name: string, args: object): Said {
  return { kind: "call", namespace: `mcp__${server}`, name, args };
}

/** Writes down what Codex is to know, and starts the model. */
export async function prepareMcp(task: McpTask): Promise<McpWork> {
  const { place, servers, settings, tables = "" } = task;
  const model = await scriptedModel(task.turns);
  const tablesOfServers = Object.entries(servers).map(([name, [command, ...args]]) =>
    [
      `[mcp_servers.${name}]`,
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(args)}`,
      'default_tools_approval_mode = "approve"',
      // Else the first turn may begin before the server is up, without its tools.
      "required = true",
    ].join("\n"),
  );
  const config = [modelConfig(model.url, settings), ...tablesOfServers, tables, ""];
  writeFileSync(path.join(place.home, "config.toml"), config.join("\n"));
  return { env: codexEnv(place.home), outputs: model.outputs };
}

/** Runs `codex exec` to its end, in a new thread or in the last one again, and tells what the model was told. */
export async function driveMcp(
  task: McpTask,
  flags: readonly string[],
  thread: "new" | "last" = "new",
): Promise<readonly string[]> {
  const { env, outputs } = await prepareMcp(task);
  const work = thread === "new" ? ["work"] : ["resume", "--last", "work on"];
  const args = ["exec", "--skip-git-repo-check", ...flags, "-C", task.place.workspace, ...work];
  const status = await runCodex(args, task.place, env);
  if (status !== 0) throw new Error(`Cannot go on: Codex ended with ${status}`);
  return outputs();
}
