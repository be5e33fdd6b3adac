import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse } from "smol-toml";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { wireState } from "../../mcp/support/wire-state.ts";
import type { PageReader } from "./page-reader.ts";

const Settings = z.object({
  mcp_servers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
});
type Server = z.infer<typeof Settings>["mcp_servers"][string];

/** A server by its name in settings of Codex. */
export function serverIn(settings: string, name: string): Server {
  const server = Settings.parse(parse(settings)).mcp_servers[name];
  if (server === undefined) throw new Error(`The settings name no server "${name}"`);
  return server;
}

/**
 * Calls a tool three times: without a state, under one that only reads, and under one that writes to the
 * folder. Tells each answer as text.
 */
export async function callAsCodex(
  reader: PageReader,
  { command, args }: Server,
  tool: { readonly name: string; readonly arguments: Record<string, unknown> },
): Promise<string[]> {
  const cwd = path.join(reader.home, "hello");
  const [program = "", ...rest] = reader.argv([command, ...args]);
  const env = { ...reader.env, PATH: reader.installedPath };
  const client = new Client({ name: "codex", version: "0.166.0" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: program, args: rest, cwd, env }));
  const states = [undefined, wireState(cwd), wireState(cwd, { write: [cwd] })];
  const answers: string[] = [];
  for (const state of states) {
    const _meta = state && { "codex/sandbox-state-meta": state };
    const answer = await client.callTool({ ...tool, ...(_meta && { _meta }) });
    answers.push(JSON.stringify(answer.content));
  }
  return answers;
}
