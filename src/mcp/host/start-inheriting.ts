/**
 * Starts a server that is trusted to keep to the sandbox of each call.
 *
 * It runs without a sandbox of its own, and the receipt of its process says so
 * and on whose word. Ending it is ours: its input is closed first, as servers
 * expect it, and what stays is ended.
 */
import { randomUUID } from "node:crypto";
import { CORE_VARIABLES, type Executor, type RunningProcess } from "../../exec/index.ts";
import { type PathUri, uriOfNative } from "../../policy/index.ts";
import type { Transport } from "../../rpc/index.ts";
import { endProcess } from "../process/end-process.ts";
import { createProcessTransport } from "../process/process-transport.ts";
import type { StdioServer } from "./server-config.ts";

export interface InheritingStart {
  readonly name: string;
  readonly config: StdioServer;
  readonly executor: Pick<Executor, "start">;
  /** Where a server starts that is given no folder of its own. */
  readonly cwd: PathUri;
  /** What the server prints for people. */
  readonly stderr: (chunk: Uint8Array) => void;
}

/** How long a server may take to leave once its input is closed. */
const LEAVE_MS = 2_000;

/** The way to a server that this host has started. */
export interface ServerTransport extends Transport {
  /** Settles when the server is over with all it started. */
  readonly over: Promise<unknown>;
  /** What is on record of its process, where it has one for as long as it lives; null otherwise. */
  readonly receiptId: string | null;
}

/** Settles once the server runs. Throws `ExecError` where it does not. */
export async function startInheriting(start: InheritingStart): Promise<ServerTransport> {
  const { name, config, executor } = start;
  const running = await executor.start({
    processId: `mcp-${name}-${randomUUID()}`,
    argv: [config.command, ...config.args],
    arg0: null,
    cwd: config.cwd === undefined ? start.cwd : uriOfNative(config.cwd),
    envPolicy: CORE_VARIABLES,
    env: config.env,
    terminal: null,
    pipeStdin: true,
    sandbox: {
      kind: "waived",
      by: "config",
      reason: `MCP server "${name}" inherits the sandbox of each call`,
    },
    anchor: null,
    ids: { server: name },
  });
  const transport = createProcessTransport(running, {
    label: name,
    stderr: start.stderr,
  });
  return endingProcess(transport, running);
}

/** The same transport, whose end is that of the process. */
function endingProcess(transport: Transport, running: RunningProcess): ServerTransport {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    void endProcess(running, transport, { graceMs: LEAVE_MS });
  };
  return {
    ...transport,
    over: running.receipt.catch(() => {}),
    receiptId: running.receiptId,
    open: (receiver) =>
      transport.open({
        message: (incoming) => receiver.message(incoming),
        closed: (reason) => {
          end();
          receiver.closed(reason);
        },
      }),
    close: () => end(),
  };
}
