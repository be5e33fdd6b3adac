/** The line REPL as a client of MCP meets it: a process, and lines. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { Place } from "../../../support/sandbox-user.ts";
import type { ReplSettings } from "./open-repl.ts";
import { processesWith } from "./perls-with.ts";
import { endProgram, startProgram } from "./start-program.ts";

export interface ReplServer {
  readonly server: ChildProcess;
  /** The answer to `initialize`. */
  readonly initialized: { readonly capabilities: Record<string, unknown> };
  call(input: string, meta?: object): Promise<{ text: string; isError: boolean }>;
  /** All that runs for it, but for the server. */
  processes(): number[];
}

/** Starts a server and shakes hands with it; it ends with the test. */
export async function startServer(
  place: Place,
  policy: ReplSettings["policy"],
): Promise<ReplServer> {
  const word = `line-repl-${randomUUID()}`;
  const settings: ReplSettings = { word, policy, longOutput: "pager", bundles: "" };
  const server = startProgram(place, ["repl-server", JSON.stringify(settings)], {});
  onTestFinished(() => endProgram(server));
  const request = requesting(server);
  const initialized = await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "case", version: "1" },
  });
  server.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    server,
    initialized,
    processes: () => processesWith(word),
    call: async (input, meta) => {
      const params = { name: "repl", arguments: { input }, ...(meta && { _meta: meta }) };
      const { content, isError = false }: ToolResult = await request("tools/call", params);
      return { text: content.map(({ text }) => text).join(""), isError };
    },
  };
}

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
}

function requesting(server: ChildProcess) {
  const { stdout, stdin } = server;
  if (stdout === null || stdin === null) throw new Error("the server has no streams");
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  createInterface({ input: stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    if (error === undefined) waiting.get(id)?.resolve(result as never);
    else waiting.get(id)?.reject(new Error(error.message));
  });
  server.on("exit", () => {
    for (const one of waiting.values()) one.reject(new Error("the server has ended"));
  });
  let last = 0;
  return async (method: string, params: object) => {
    last += 1;
    const answer = Promise.withResolvers<never>();
    waiting.set(last, answer);
    stdin.on("error", () => {});
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    return answer.promise;
  };
}
