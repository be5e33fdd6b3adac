/**
 * Which policy a request asks for, in one of the three ways there are.
 *
 * The full policy wins over the coarse mode. A name beside either is refused:
 * nobody could tell which of the two was meant to hold.
 */
import type { Config } from "../../config/index.ts";
import {
  PolicyError,
  readCamelPolicy,
  type SandboxMode,
  type SandboxPolicy,
} from "../../policy/index.ts";
import { RpcError } from "../../rpc/index.ts";

export type PolicyAsk =
  | { readonly kind: "nothing" }
  | { readonly kind: "policy"; readonly policy: SandboxPolicy }
  | { readonly kind: "mode"; readonly mode: SandboxMode }
  | { readonly kind: "named"; readonly id: string };

export interface PolicyMembers {
  readonly sandboxPolicy?: unknown;
  readonly sandbox?: SandboxMode | null | undefined;
  readonly permissions?: string | null | undefined;
}

/** Reads the members of a request that choose a policy; null counts as absent. */
export function readPolicyAsk({ sandboxPolicy, sandbox, permissions }: PolicyMembers): PolicyAsk {
  const isFull = sandboxPolicy !== undefined && sandboxPolicy !== null;
  const isCoarse = sandbox !== undefined && sandbox !== null;
  if (permissions !== undefined && permissions !== null) {
    if (isCoarse) throw ambiguous("sandbox");
    if (isFull) throw ambiguous("sandboxPolicy");
    return { kind: "named", id: permissions };
  }
  if (isFull) return { kind: "policy", policy: readPolicy(sandboxPolicy) };
  return isCoarse ? { kind: "mode", mode: sandbox } : { kind: "nothing" };
}

function readPolicy(value: unknown): SandboxPolicy {
  try {
    return readCamelPolicy(value);
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new RpcError("invalidRequest", `invalid sandbox policy: ${cause.message}`, { cause });
  }
}

function ambiguous(other: string): RpcError {
  return new RpcError("invalidRequest", `\`permissions\` cannot be combined with \`${other}\``);
}

/** What the settings of the request itself choose. */
export function askOfOverrides({ defaultFrom, user, settings }: Config): PolicyAsk {
  if (defaultFrom !== "overrides") return { kind: "nothing" };
  const { defaultPermissions: id } = user;
  if (id !== undefined) return { kind: "named", id };
  const { sandboxMode: mode } = settings;
  return mode === undefined ? { kind: "nothing" } : { kind: "mode", mode };
}
