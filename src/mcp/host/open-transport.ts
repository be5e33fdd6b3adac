import { McpError } from "../mcp-error.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { HttpTransport } from "./http-transport.ts";
import { SdkTransport } from "./sdk-transport.ts";
import type { HttpServer, ServerConfig, StdioServer } from "./server-config.ts";
import { type InheritingStart, type ServerTransport, startInheriting } from "./start-inheriting.ts";

/** What it takes to reach one server. */
export interface ServerAccess extends Omit<InheritingStart, "config"> {
  readonly config: ServerConfig;
  /** Makes the server that runs inside the sandbox of each call. */
  readonly confine: (config: StdioServer) => ServerTransport | Promise<ServerTransport>;
  /** The variables of this process, for tokens. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** As much as a server that is started here may say in one line. */
const MOST_ANSWER = 64 << 20;

/** Opens the way to a server, new each time. */
export async function openTransport(access: ServerAccess): Promise<SdkTransport | HttpTransport> {
  const { config } = access;
  if (config.kind === "http") return openHttp(config, access);
  const transport =
    config.sandbox === "confine"
      ? await access.confine(config)
      : await startInheriting({ ...access, config });
  return new SdkTransport(transport);
}

function openHttp(config: HttpServer, { name, env }: ServerAccess): HttpTransport {
  if (config.sandbox !== "inherit") {
    throw new McpError(
      "misconfigured",
      `Cannot confine MCP server "${name}": it is reached by its URL and runs elsewhere, expected sandbox = "inherit" where it is trusted to keep to the sandbox of each call`,
    );
  }
  const { bearerTokenEnvVar: variable } = config;
  const bounds = { fetch: boundedFetch(MOST_ANSWER) };
  if (variable === undefined) return new HttpTransport(new URL(config.url), bounds);
  const token = env[variable];
  if (token === undefined || token === "") {
    throw new McpError(
      "misconfigured",
      `Cannot reach MCP server "${name}": the variable "${variable}" is ${token === "" ? "empty" : "not set"}, expected a token`,
    );
  }
  const headers = { Authorization: `Bearer ${token}` };
  return new HttpTransport(new URL(config.url), { ...bounds, requestInit: { headers } });
}
