/**
 * The MCP servers of the user's file.
 *
 * A server is a program that is started or a URL that is asked, never both. Keys
 * that belong to the other kind are refused: one that is not heeded would look as
 * if it were. Keys of neither kind are noted, unless they take something away.
 */
import path from "node:path";
import type { TomlTable } from "./read-toml-file.ts";
import { isPlainUrl, travelsInTheClear } from "./settings/plain-url.ts";
import { readToolRules, TOOL_RULE_KEYS, type ToolRules } from "./settings/read-tool-rules.ts";
import type { NoteKey } from "./settings/unknown-key.ts";
import { malformed, oneOf, tableOf, textOf } from "./table-of.ts";

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

interface AnyServerTable extends ToolRules {
  readonly enabled: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
}

const ANY = [
  ...["sandbox", "enabled", "experimental_environment", ...TOOL_RULE_KEYS],
  ...["startup_timeout_ms", "startup_timeout_sec", "tool_timeout_ms", "tool_timeout_sec"],
];
const STDIO = ["command", "args", "env", "cwd"];
const HTTP = ["url", "bearer_token_env_var"];

const STARTUP_MS = 30_000;
const TOOL_MS = 60_000;
/** A timer that is set for longer goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads `[mcp_servers.NAME]`, every one of them, also those that are not enabled. */
export function readMcpServers(
  value: unknown,
  where: string,
  note: NoteKey,
): ReadonlyMap<string, McpServerTable> {
  const tables = value === undefined ? {} : tableOf(value, where);
  return new Map(
    Object.entries(tables).map(([name, table]) => {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
        throw malformed(
          where,
          `${JSON.stringify(name)} is no name, expected letters, digits, - and _`,
        );
      }
      const noteHere = (key: string) => note(`mcp_servers.${name}.${key}`);
      return [name, serverOf(tableOf(table, `${where}.${name}`), `${where}.${name}`, noteHere)];
    }),
  );
}

function serverOf(table: TomlTable, where: string, note: NoteKey): McpServerTable {
  const { command, url } = table;
  if (command !== undefined && url !== undefined) {
    throw malformed(where, '"command" and "url" are both there, expected one of them');
  }
  if (command === undefined && url === undefined) {
    throw malformed(where, 'neither "command" nor "url" is there, expected one of them');
  }
  const [kind, own, others] =
    command === undefined ? (["url", HTTP, STDIO] as const) : (["command", STDIO, HTTP] as const);
  for (const key of Object.keys(table)) {
    if (others.includes(key)) {
      const known = [...own, ...ANY].join(", ");
      throw malformed(where, `unexpected key "${key}" beside "${kind}", expected one of ${known}`);
    }
    if (!own.includes(key) && !ANY.includes(key)) note(key);
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
  const { experimental_environment: place = "local" } = table;
  oneOf(place, ["local"], `${where}.experimental_environment`);
  return {
    enabled,
    startupTimeoutMs: timeoutOf(table, "startup_timeout", where) ?? STARTUP_MS,
    toolTimeoutMs: timeoutOf(table, "tool_timeout", where) ?? TOOL_MS,
    ...readToolRules(table, where),
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
  if (isPlainUrl(url)) return url;
  throw malformed(where, "it holds a user, a password or a fragment, expected a plain URL");
}

function refuseOpenToken(url: URL, where: string): void {
  if (!travelsInTheClear(url)) return;
  const what = `the token would travel to "${url.hostname}" in the clear, expected https://`;
  throw malformed(where, what);
}

/** A time may be said in either unit; in both, one of them would not be heeded. */
function timeoutOf(table: TomlTable, name: string, where: string): number | undefined {
  const [ms, sec] = [table[`${name}_ms`], table[`${name}_sec`]];
  if (ms !== undefined && sec !== undefined) {
    throw malformed(where, `"${name}_ms" and "${name}_sec" are both there, expected one of them`);
  }
  if (sec !== undefined) return secondsOf(sec, `${where}.${name}_sec`);
  return ms === undefined ? undefined : timeOf(ms, `${where}.${name}_ms`);
}

function secondsOf(value: unknown, where: string): number {
  const ms = typeof value === "number" ? Math.ceil(value * 1000) : Number.NaN;
  if (ms >= 1 && ms <= LONGEST_TIMER_MS) return ms;
  throw malformed(where, `expected a number of seconds from 0.001 to ${LONGEST_TIMER_MS / 1000}`);
}

function timeOf(value: unknown, where: string): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_TIMER_MS) {
    return Number(value);
  }
  throw malformed(where, `expected a number of milliseconds from 1 to ${LONGEST_TIMER_MS}`);
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

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}
