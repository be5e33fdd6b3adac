/**
 * The MCP servers of the user's file.
 *
 * A server is a program that is started or a URL that is asked, never both. Keys
 * that belong to the other kind are refused: one that is not heeded would look as
 * if it were.
 */
import path from "node:path";
import { ConfigError } from "./config-error.ts";
import type { TomlTable } from "./read-toml-file.ts";

export type McpServerTable = StdioServerTable | HttpServerTable;

export interface StdioServerTable extends AnyServerTable {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** `confine`: inside the sandbox of each call. `inherit`: outside, told the sandbox and trusted to keep it. */
  readonly sandbox: "confine" | "inherit";
}

export interface HttpServerTable extends AnyServerTable {
  readonly kind: "http";
  readonly url: string;
  readonly bearerTokenEnvVar?: string;
  readonly sandbox: "inherit";
}

interface AnyServerTable {
  readonly enabled: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
}

const ANY = ["sandbox", "startup_timeout_ms", "tool_timeout_ms", "enabled"];
const STDIO = ["command", "args", "env", "cwd", ...ANY];
const HTTP = ["url", "bearer_token_env_var", ...ANY];

const STARTUP_MS = 30_000;
const TOOL_MS = 60_000;
/** A timer that is set for longer goes off at once. */
const MOST_MS = 2 ** 31 - 1;

/** Reads `[mcp_servers.NAME]`, every one of them, also those that are not enabled. */
export function readMcpServers(value: unknown, where: string): ReadonlyMap<string, McpServerTable> {
  const tables = value === undefined ? {} : tableOf(value, where);
  return new Map(
    Object.entries(tables).map(([name, table]) => {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
        throw malformed(
          where,
          `${JSON.stringify(name)} is no name, expected letters, digits, - and _`,
        );
      }
      return [name, serverOf(tableOf(table, `${where}.${name}`), `${where}.${name}`)];
    }),
  );
}

function serverOf(table: TomlTable, where: string): McpServerTable {
  const { command, url } = table;
  if (command !== undefined && url !== undefined) {
    throw malformed(where, '"command" and "url" are both there, expected one of them');
  }
  if (command === undefined && url === undefined) {
    throw malformed(where, 'neither "command" nor "url" is there, expected one of them');
  }
  const known = command === undefined ? HTTP : STDIO;
  const stranger = Object.keys(table).find((key) => !known.includes(key));
  if (stranger !== undefined) {
    const kind = command === undefined ? "url" : "command";
    const what = `unknown key "${stranger}" beside "${kind}"`;
    throw malformed(where, `${what}, expected one of ${known.join(", ")}`);
  }
  return command === undefined ? httpOf(table, where) : stdioOf(table, where);
}

function stdioOf(table: TomlTable, where: string): StdioServerTable {
  const { cwd } = table;
  if (cwd !== undefined && !(isText(cwd) && path.isAbsolute(cwd))) {
    throw malformed(`${where}.cwd`, "expected an absolute path");
  }
  return {
    kind: "stdio",
    command: textOf(table.command, `${where}.command`),
    args: argsOf(table.args ?? [], `${where}.args`),
    env: variablesOf(tableOf(table.env ?? {}, `${where}.env`), `${where}.env`),
    ...(cwd !== undefined && { cwd }),
    sandbox: sandboxOf(table, where),
    ...restOf(table, where),
  };
}

function httpOf(table: TomlTable, where: string): HttpServerTable {
  const url = urlOf(table.url, `${where}.url`);
  const { bearer_token_env_var: variable } = table;
  if (variable !== undefined) {
    refuseOpenToken(url, `${where}.bearer_token_env_var`);
    textOf(variable, `${where}.bearer_token_env_var`);
  }
  if (sandboxOf(table, where) !== "inherit") {
    throw malformed(
      `${where}.sandbox`,
      'a server that is reached by its URL cannot be confined, expected sandbox = "inherit" where it is trusted to keep to the sandbox of each call',
    );
  }
  return {
    kind: "http",
    url: url.href,
    ...(isText(variable) && { bearerTokenEnvVar: variable }),
    sandbox: "inherit",
    ...restOf(table, where),
  };
}

function restOf({ enabled = true, ...table }: TomlTable, where: string): AnyServerTable {
  if (typeof enabled !== "boolean") throw malformed(`${where}.enabled`, "expected true or false");
  const { startup_timeout_ms: startup = STARTUP_MS, tool_timeout_ms: tool = TOOL_MS } = table;
  return {
    enabled,
    startupTimeoutMs: timeOf(startup, `${where}.startup_timeout_ms`),
    toolTimeoutMs: timeOf(tool, `${where}.tool_timeout_ms`),
  };
}

function sandboxOf({ sandbox = "confine" }: TomlTable, where: string): "confine" | "inherit" {
  if (sandbox === "confine" || sandbox === "inherit") return sandbox;
  throw malformed(`${where}.sandbox`, 'expected "confine" or "inherit"');
}

function urlOf(value: unknown, where: string): URL {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw malformed(where, "expected a URL that starts with https:// or http://");
  }
  if (url.username === "" && url.password === "" && url.hash === "") return url;
  throw malformed(where, "it holds a user, a password or a fragment, expected a plain URL");
}

/** In the clear a token belongs to everybody on the way. */
function refuseOpenToken({ protocol, hostname }: URL, where: string): void {
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === "https:" || local) return;
  throw malformed(where, `the token would travel to "${hostname}" in the clear, expected https://`);
}

function timeOf(value: unknown, where: string): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_MS) {
    return Number(value);
  }
  throw malformed(where, `expected a number of milliseconds from 1 to ${MOST_MS}`);
}

function argsOf(value: unknown, where: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => one === "" || isText(one))) return value;
  throw malformed(where, "expected a list of texts without NUL characters");
}

function variablesOf(table: TomlTable, where: string): Readonly<Record<string, string>> {
  const variables = Object.entries(table).map(([name, value]): [string, string] => {
    if (!/^[^=\0]+$/.test(name)) {
      throw malformed(where, `${JSON.stringify(name)} is no name of a variable`);
    }
    if (value === "" || isText(value)) return [name, value];
    throw malformed(`${where}.${name}`, "expected a text without NUL characters");
  });
  return Object.fromEntries(variables);
}

function textOf(value: unknown, where: string): string {
  if (isText(value)) return value;
  throw malformed(where, "expected a text that is not empty and has no NUL characters");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}

function tableOf(value: unknown, where: string): TomlTable {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isTable && !(value instanceof Date)) return value as TomlTable;
  throw malformed(where, "expected a table");
}

function malformed(where: string, what: string): ConfigError {
  return new ConfigError("malformed", `Cannot read "${where}": ${what}`);
}
