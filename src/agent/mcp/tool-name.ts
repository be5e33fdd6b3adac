import { createHash } from "node:crypto";

/** What providers take as the name of a tool. */
const MOST_CHARS = 64;
const HASH_CHARS = 12;
/** How a name with a digest ends, which a server could have a tool of its own end with. */
const DIGEST = new RegExp(`__[0-9a-f]{${HASH_CHARS}}$`);

/**
 * The name by which a model calls a tool of a server, `mcp__SERVER__TOOL`.
 *
 * Two tools never have one name: where the plain one would be too long, hold a
 * character that models may not use, or could be read as another's, a digest of
 * server and tool is part of it.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  if (isPlain(server) && isPlainName(plain)) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex");
  const head = plain.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MOST_CHARS - HASH_CHARS - 2);
  return `${head}__${digest.slice(0, HASH_CHARS)}`;
}

/** Whether a model may call a tool so, and nobody could take the name for one with a digest. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(name) && name.length <= MOST_CHARS && !DIGEST.test(name);
}

/** Whether the end of the server's name can be told from what follows it. */
function isPlain(server: string): boolean {
  return !server.includes("__") && !/^_|_$/.test(server);
}
