import { RpcError } from "../../rpc/index.ts";
import type { CommandPolicies } from "../commands/command-policies.ts";
import { readPolicyAsk } from "./policy-ask.ts";
import type { PolicyChooser } from "./policy-chooser.ts";

/** Policies of commands that belong to no thread: their own, or the one that a thread would begin with. */
export function createCommandPolicies(chooser: PolicyChooser): CommandPolicies {
  return {
    async forCommand({ sandboxPolicy, permissionProfile, cwd }) {
      const ask = readPolicyAsk({ sandboxPolicy, permissions: permissionProfile });
      try {
        const { policy, place } = await chooser.choose({ ask, cwd, roots: null, overrides: {} });
        return { profile: policy.profile, workspaceRoots: place.workspaceRoots };
      } catch (error) {
        throw ask.kind === "named" ? aboutProfile(error) : error;
      }
    },
  };
}

const ABOUT_POLICY = /^invalid sandbox policy: /;

function aboutProfile(error: unknown): unknown {
  if (!(error instanceof RpcError) || !ABOUT_POLICY.test(error.message)) return error;
  const message = error.message.replace(ABOUT_POLICY, "invalid permission profile: ");
  return new RpcError(error.wireCode, message, { cause: error });
}
