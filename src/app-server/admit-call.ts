/**
 * The gate before every handler: who has introduced themselves, what they asked
 * to take part in, and that no policy is sent where nobody would follow it.
 */
import { type Admission, type Declaration, RpcError } from "../rpc/index.ts";
import type { AppConnection } from "./app-connection.ts";
import { declaredMembers } from "./protocol/declared-members.ts";
import { EXPERIMENTAL_APPROVAL, EXPERIMENTAL_MEMBERS } from "./protocol/experimental-members.ts";
import { sessionMethods } from "./protocol/session-methods.ts";

/** Members that choose or describe a policy, anywhere in this dialect and its history. */
const POLICY_MEMBERS = [
  ...["sandboxPolicy", "sandbox", "sandboxMode", "permissions", "permissionProfile"],
  ...["additionalPermissions", "readOnlyAccess", "networkAccess", "writableRoots"],
];

/** Methods whose clients once sent a profile, and know this sentence. */
const ONCE_TOOK_PROFILES = ["thread/start", "thread/resume", "thread/fork", "turn/start"];

/** Throws `RpcError` unless the call may go on to its handler. */
export function admitCall({ declaration, params, context }: Admission<AppConnection>): void {
  const { name, kind } = declaration;
  if (name === sessionMethods.initialize.name) return;
  const { client } = context;
  if (client === undefined) {
    if (kind === "notification") return;
    throw new RpcError("invalidRequest", "Not initialized");
  }
  const members = Object.entries(Object(params) as object);
  refuseUnfollowed(declaration, members);
  if (!client.experimental) refuseExperimental(declaration, members);
}

type Members = readonly (readonly [string, unknown])[];

function refuseUnfollowed(declaration: Declaration, members: Members): void {
  const declared = declaredMembers(declaration);
  const given = members.find(([key]) => POLICY_MEMBERS.includes(key) && !declared.has(key))?.[0];
  if (given === undefined) return;
  const { name } = declaration;
  if (given === "permissionProfile" && ONCE_TOOK_PROFILES.includes(name)) {
    throw new RpcError(
      "invalidParams",
      `\`permissionProfile\` is no longer supported for \`${name}\`; use \`permissions\` with a named profile id instead`,
    );
  }
  const takes = POLICY_MEMBERS.filter((key) => declared.has(key)).map((key) => `\`${key}\``);
  const instead = takes.length === 0 ? "it takes no policy" : `use ${takes.join(" or ")}`;
  throw new RpcError("invalidRequest", `\`${given}\` is not supported for \`${name}\`; ${instead}`);
}

function refuseExperimental({ name, experimental }: Declaration, members: Members): void {
  const gated = EXPERIMENTAL_MEMBERS[name] ?? [];
  const isThere = (value: unknown) => value !== undefined && value !== null;
  const member = members.find(([key, value]) => gated.includes(key) && isThere(value))?.[0];
  const isGranular = members.some(
    ([key, value]) => key === "approvalPolicy" && typeof value === "object" && value !== null,
  );
  const what = experimental
    ? name
    : member !== undefined
      ? `${name}.${member}`
      : isGranular
        ? EXPERIMENTAL_APPROVAL
        : undefined;
  if (what === undefined) return;
  throw new RpcError("invalidRequest", `${what} requires experimentalApi capability`);
}
