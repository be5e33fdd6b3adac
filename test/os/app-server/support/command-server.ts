/** A program of its own: serves commands and files over its streams, as whoever starts it. */

import type { CommandConnection } from "../../../../src/app-server/commands/command-connection.ts";
import { commandHandlers } from "../../../../src/app-server/commands/command-handlers.ts";
import type { CommandPolicyAsk } from "../../../../src/app-server/commands/command-policies.ts";
import { fileHandlers } from "../../../../src/app-server/files/file-handlers.ts";
import {
  commandMethods,
  commandNotifications,
} from "../../../../src/app-server/protocol/command-methods.ts";
import { fileMethods } from "../../../../src/app-server/protocol/file-methods.ts";
import { openLocalMachine } from "../../../../src/exec/index.ts";
import {
  policyForMode,
  profileOfPolicy,
  readCamelPolicy,
  type SandboxMode,
} from "../../../../src/policy/index.ts";
import {
  createLineTransport,
  createPeer,
  createRouter,
  jsonRpc2,
  RpcError,
} from "../../../../src/rpc/index.ts";

const [cwd = "", byDefault = ":workspace"] = process.argv.slice(2);
const home = process.env.WRIT_HOME ?? "";
const { executor } = openLocalMachine({ home, ceilings: [], waivers: "allowed" });

const MODES: Readonly<Record<string, SandboxMode>> = {
  ":read-only": "read-only",
  ":workspace": "workspace-write",
  ":danger-full-access": "danger-full-access",
};
const named = (id: string) => {
  const mode = MODES[id];
  if (mode === undefined) throw new RpcError("invalidRequest", `invalid permission profile: ${id}`);
  return policyForMode(mode);
};
const policies = {
  async forCommand({ sandboxPolicy, permissionProfile, cwd: at }: CommandPolicyAsk) {
    const policy =
      sandboxPolicy === undefined
        ? named(permissionProfile ?? byDefault)
        : readCamelPolicy(sandboxPolicy);
    return { profile: profileOfPolicy(policy), workspaceRoots: [at] };
  },
};

const methods = { command: commandMethods, files: fileMethods };
const closing = new AbortController();
const peer = createPeer<CommandConnection>({
  transport: createLineTransport({ input: process.stdin, output: process.stdout }),
  dialect: jsonRpc2,
  log: (fault) => void process.stderr.write(`${String(fault)}\n`),
  schedule: { kind: "concurrent", limit: 32 },
  serve: {
    router: createRouter<typeof methods, CommandConnection>({
      methods,
      handlers: {
        command: commandHandlers({
          ...{ executor, policies, cwd },
          variables: {
            PATH: process.env.PATH ?? "",
            HOME: process.env.HOME ?? "",
            SERVER_WORD: "plain",
          },
        }),
        files: fileHandlers({ files: executor.files, policies, cwd }),
      },
    }),
    context: (own) => ({
      closed: closing.signal,
      notifyOutput: (delta) => own.notify(commandNotifications.outputDelta, delta),
    }),
  },
});
await peer.closed;
closing.abort();
await executor.close();
