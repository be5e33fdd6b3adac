/** The MCP server around sessions: one tool, and what a model is told about it. */
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { advertise } from "../../state/advertise.ts";
import type { ReplReply } from "../session/repl-reply.ts";
import type { ReplSession } from "../session/repl-session.ts";
import { describeTool, type ToolStyle } from "./describe-tool.ts";

export interface ReplServerOptions extends ToolStyle {
  /** By language, in the order in which a model is told of them. The first is meant when none is named. */
  readonly sessions: ReadonlyMap<string, ReplSession>;
  /** Whether calls bring their own sandbox. */
  readonly inherits: boolean;
  readonly version: string;
}

/** How often a call that takes long says that it is still there. */
const PROGRESS_MS = 1000;

/** A server for one connection; sessions outlive it and may serve several. */
export function createReplServer(options: ReplServerOptions): McpServer {
  const { sessions, inherits, version } = options;
  const languages = [...sessions.keys()];
  const server = new McpServer(
    { name: "writ-repl", title: "writ REPL", version },
    { capabilities: inherits ? advertise() : {} },
  );
  server.registerTool(
    "repl",
    {
      description: describeTool(languages, options),
      inputSchema: inputOf(languages),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ input, timeout_ms: timeoutMs, language }, context) => {
      const session = sessions.get(language ?? languages[0] ?? "");
      if (session === undefined) return unknownLanguage(language, languages);
      const { signal } = context.mcpReq;
      const stop = reportProgress(context);
      try {
        const request = { input, timeoutMs: timeoutMs ?? undefined, context, signal };
        return resultOf(await session.serve(request));
      } finally {
        stop();
      }
    },
  );
  return server;
}

function inputOf(languages: readonly string[]) {
  return z.strictObject({
    input: z.string(),
    timeout_ms: z.int().min(0).nullish(),
    language: z.enum(languages).optional(),
  });
}

function resultOf({ content, isError, structuredContent }: ReplReply) {
  return { content: [...content], isError, structuredContent: { ...structuredContent } };
}

function unknownLanguage(language: string | undefined, languages: readonly string[]) {
  const text = `Cannot run ${language}: expected one of ${languages.join(", ")}`;
  return { content: [{ type: "text" as const, text }], isError: true };
}

/** Seconds, since nobody knows how many there will be. */
function reportProgress({ mcpReq }: ServerContext): () => void {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return () => {};
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += PROGRESS_MS / 1000;
    const params = { progressToken: token, progress: seconds, message: `running for ${seconds} s` };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}
