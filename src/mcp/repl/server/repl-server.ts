/** The MCP server around sessions: one tool, and what a model is told about it. */
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { advertise } from "../../state/advertise.ts";
import { receiptMeta } from "../../state/receipt-of-result.ts";
import type { ReplReply } from "../session/repl-reply.ts";
import type { ReplSession } from "../session/repl-session.ts";
import { describeTool, type ToolStyle } from "./describe-tool.ts";

export interface ReplServerOptions extends ToolStyle {
  /** By language, in the order in which a model is told of them. The first is meant when none is named. */
  readonly sessions: ReadonlyMap<string, ReplSession>;
  /** Whether calls bring their own sandbox. */
  readonly inherits: boolean;
  readonly version: string;
  /** Told of every call and its reply. */
  readonly log?: ReplLog;
}

/** Where calls and replies are noted; what it is given holds no environment and no `_meta`. */
export type ReplLog = (event: Readonly<Record<string, unknown>>) => void;

/** Where a result says the same for programs. */
const FACTS_KEY = "dev.writ/repl";
/** How often a call that takes long says that it is still there. */
const PROGRESS_MS = 1000;
/** As much as a worker can be sent at once, however it is written. */
const MOST_CHARS = 2 << 20;

/** A server for one connection; sessions outlive it and may serve several. */
export function createReplServer(options: ReplServerOptions): McpServer {
  const { sessions, inherits, version, log = () => {} } = options;
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
    async ({ input, timeout_ms: timeout, language = languages[0] ?? "" }, context) => {
      const session = sessions.get(language);
      if (session === undefined) return unknownLanguage(language, languages);
      const { signal, id } = context.mcpReq;
      const timeoutMs = timeout ?? undefined;
      log({ event: "call", id, language, input, timeoutMs });
      const stop = reportProgress(context);
      try {
        const reply = await session.serve({ input, timeoutMs, context, signal });
        log({ event: "reply", id, ...noteOf(reply), cancelled: signal.aborted });
        return resultOf(reply);
      } finally {
        stop();
      }
    },
  );
  return server;
}

/** A reply as it is noted: pictures by their size. */
function noteOf({ content, isError, facts }: ReplReply) {
  const shown = content.map((item) =>
    item.type === "image" ? { type: item.type, base64Chars: item.data.length } : item,
  );
  return { isError, ...facts, content: shown };
}

function inputOf(languages: readonly string[]) {
  return z.strictObject({
    input: z.string().max(MOST_CHARS),
    timeout_ms: z.int().min(0).nullish(),
    language: z.enum(languages).optional(),
  });
}

/** Not as structured content: clients show a model that, where there is some, in place of all the rest. */
function resultOf({ content, isError, facts, receiptId }: ReplReply) {
  const meta = { [FACTS_KEY]: { ...facts }, ...receiptMeta(receiptId) };
  return { content: [...content], isError, _meta: meta };
}

function unknownLanguage(language: string, languages: readonly string[]) {
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
