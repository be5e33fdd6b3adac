import { randomUUID } from "node:crypto";
import type { StartRequest } from "../../exec/index.ts";
import { type PermissionProfile, uriOfNative } from "../../policy/index.ts";
import { contextOf } from "../policy/apply-policy.ts";
import type { CommandPolicy } from "./command-policies.ts";
import type { AskedCommand } from "./read-command.ts";

/** What tells a command that it has no network, in the words that programs know. */
const NO_NETWORK = { CODEX_SANDBOX_NETWORK_DISABLED: "1" };

/** The variables that every command of this server gets. */
export type InheritedEnvironment = Readonly<Record<string, string>>;

/**
 * The request that an executor gets. The policy is bound to the folder of the
 * command, wherever the server itself stands.
 */
export function startOfCommand(
  asked: AskedCommand,
  { profile, workspaceRoots }: CommandPolicy,
  inherited: InheritedEnvironment,
): StartRequest {
  const { argv, cwd, variables, terminal, streamsInput, processId } = asked;
  const name = `command-${randomUUID()}`;
  return {
    processId: name,
    argv,
    arg0: null,
    cwd: uriOfNative(cwd),
    envPolicy: null,
    env: {
      ...without(inherited, variables.removed),
      ...variables.set,
      // Last: whether there is a network is not for a client to say.
      ...(isOffline(profile) && NO_NETWORK),
    },
    terminal,
    pipeStdin: streamsInput,
    sandbox: { kind: "enforce", context: contextOf(profile, { cwd, workspaceRoots }) },
    anchor: null,
    ids: { request: name, ...(processId !== undefined && { process: processId }) },
  };
}

function isOffline(profile: PermissionProfile): boolean {
  return profile.type !== "disabled" && profile.network.kind === "restricted";
}

/** Names are matched without case: what is taken away in one spelling is not there in another. */
function without(variables: InheritedEnvironment, names: readonly string[]) {
  const gone = new Set(names.map((name) => name.toUpperCase()));
  const kept = Object.entries(variables).filter(([name]) => !gone.has(name.toUpperCase()));
  return Object.fromEntries(kept);
}
