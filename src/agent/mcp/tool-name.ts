import { createHash } from "node:crypto";

/** What providers take as the name of a tool. */
const MOST_CHARS = 64;
const HASH_CHARS = 12;

/**
 * The name by which a model calls a tool of a server, `mcp__SERVER__TOOL`.
 *
 * Two tools never have one name: where the plain one would be too long, hold a
 * character that models may not use, or could be read as another's, a digest of
 * server and tool is part of it.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (isPlain(server) && /^[A-Za-z0-9_-]+$/.test(tool) && plain.length <= MOST_CHARS) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex");
  const head = plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MOST_CHARS - HASH_CHARS - 2);
  return `${head}__${digest.slice(0, HASH_CHARS)}`;
}

/** Whether the end of the server's name can be told from what follows it. */
function isPlain(server: string): boolean {
  return !server.includes("__") && !/^_|_$/.test(server);
}
