import { RpcError } from "../../rpc/index.ts";

/** Members that choose a policy elsewhere. */
type PolicyMember = "sandboxPolicy" | "sandbox" | "permissions" | "permissionProfile";

export interface Unsupported {
  readonly method: string;
  readonly members: readonly PolicyMember[];
  /** What to do instead. */
  readonly instead: string;
}

/** Refuses a policy that a method would not follow: a client that sent it relies on it. */
export function refusePolicyMembers(
  params: Readonly<Partial<Record<PolicyMember, unknown>>>,
  { method, members, instead }: Unsupported,
): void {
  const given = members.find((name) => params[name] !== undefined && params[name] !== null);
  if (given === undefined) return;
  throw new RpcError(
    "invalidRequest",
    `\`${given}\` is not supported for \`${method}\`; ${instead}`,
  );
}
