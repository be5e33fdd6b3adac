import { vi } from "vitest";
import {
  type ConfineOptions,
  createConfinedServer,
  type StateBounds,
} from "../../../../src/mcp/index.ts";
import { parseAbsolutePath, parsePathUri } from "../../../../src/policy/index.ts";
import type { CloseReason } from "../../../../src/rpc/index.ts";
import { ScriptedExecutor } from "./scripted-executor.ts";

const NONE = parseAbsolutePath("/nonexistent/writ");

const HOST: StateBounds["host"] = {
  env: {},
  platform: "linux",
  own: { hidden: [], readOnly: [] },
  records: NONE,
  tmpdir: undefined,
  homes: [],
  externalSandbox: "absent",
  bounds: { ceilings: [], roots: "any", waivers: "allowed", hostNetwork: "allowed" },
};

/** A confined server over scripted processes, and what its client got. */
export function connectConfined(
  executor = new ScriptedExecutor(),
  options: Partial<ConfineOptions> = {},
) {
  const got: Record<string, unknown>[] = [];
  const noise: string[] = [];
  const ends: CloseReason[] = [];
  const server = createConfinedServer({
    executor: executor.port,
    bounds: { host: HOST, network: "asSent" },
    argv: ["server", "--flag"],
    cwd: parsePathUri("file:///"),
    env: { NAME: "value" },
    envPolicy: null,
    mode: { kind: "inherit" },
    stderr: (chunk) => noise.push(Buffer.from(chunk).toString()),
    graceMs: 10,
    ...options,
  });
  server.open({
    message: (one) => one.kind === "text" && got.push(JSON.parse(one.text)),
    closed: (reason) => ends.push(reason),
  });
  const send = (message: object) => server.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  /** The answer to a request. */
  const ask = async (message: {
    readonly id: number;
    readonly method: string;
    readonly params?: object;
  }) => {
    await send(message);
    return vi.waitFor(() => {
      const answer = got.find(({ id, method }) => id === message.id && method === undefined);
      if (answer === undefined) throw new Error(`Cannot find the answer to ${message.id}`);
      return answer;
    }, 30_000);
  };
  return { executor, server, got, noise, ends, send, ask };
}
