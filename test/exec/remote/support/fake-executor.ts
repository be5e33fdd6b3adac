import { onTestFinished } from "vitest";
import type { SandboxIntent, StartRequest } from "../../../../src/exec/index.ts";
import {
  type ConnectExecutorOptions,
  connectExecutor,
  type RemoteExecutor,
} from "../../../../src/exec/remote/connect-executor.ts";
import { policyForMode, profileOfPolicy, uriOfNative } from "../../../../src/policy/index.ts";
import type { FakeServer } from "./fake-server.ts";

/** A remote executor of a fake server, closed with the test. */
export async function executorOf(
  server: FakeServer,
  more: Partial<ConnectExecutorOptions> = {},
): Promise<RemoteExecutor> {
  const { connect } = server;
  const executor = await connectExecutor({ connect, clientName: "writ-test", ...more });
  onTestFinished(() => executor.close());
  return executor;
}

export const CWD = uriOfNative("/w");

export const SANDBOXED: Extract<SandboxIntent, { kind: "enforce" }> = {
  kind: "enforce",
  context: {
    profile: profileOfPolicy(policyForMode("workspace-write")),
    cwd: CWD,
    workspaceRoots: [CWD],
    settings: { windowsSandboxLevel: "disabled" },
  },
};

export const WAIVED: SandboxIntent = { kind: "waived", by: "test", reason: "of the test" };

/** A request that says nothing in particular. */
export function aRequest(more: Partial<StartRequest> = {}): StartRequest {
  return {
    processId: "p1",
    argv: ["/bin/true"],
    arg0: null,
    cwd: CWD,
    envPolicy: null,
    env: {},
    terminal: null,
    pipeStdin: false,
    sandbox: WAIVED,
    anchor: null,
    ids: {},
    ...more,
  };
}
