/** A server as its user configured it. */
export type ServerConfig = StdioServer | HttpServer;

/**
 * `confine`: the server runs inside the sandbox of each call. `inherit`: it runs
 * outside and is trusted to keep to the sandbox it is told. Never both: a sandbox
 * cannot be built inside ours.
 */
export type ServerSandbox = "confine" | "inherit";

export interface StdioServer extends ServerTimes {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A native path; where it is absent the server starts in the folder of its host. */
  readonly cwd?: string;
  readonly sandbox: ServerSandbox;
}

export interface HttpServer extends ServerTimes {
  readonly kind: "http";
  readonly url: string;
  /** The variable of this process that holds the token. */
  readonly bearerTokenEnvVar?: string;
  /** Nobody here starts it, so nobody here can confine it: `confine` is refused. */
  readonly sandbox: ServerSandbox;
}

export interface ServerTimes {
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
}
