import {
  type PermissionProfile,
  PolicyError,
  policyForMode,
  profileOfPolicy,
  readCamelPolicy,
  SandboxMode,
  type writeCamelPolicy,
} from "../policy/index.ts";

/** What commands may touch: a coarse word for it, or a policy as `thread/start` takes it. */
export type AskedPolicy = SandboxMode | ReturnType<typeof writeCamelPolicy>;

/** What that allows. Throws {@link PolicyError}: what cannot be read is no policy, and there is no other. */
export function readPolicy(asked: AskedPolicy): PermissionProfile {
  if (typeof asked !== "string") return profileOfPolicy(readCamelPolicy(objectOf(asked)));
  const mode = SandboxMode.safeParse(asked);
  if (mode.success) return profileOfPolicy(policyForMode(mode.data));
  throw new PolicyError(
    "malformed",
    `Cannot use policy "${asked}": there is no such mode, expected ${SandboxMode.options.join(", ")}`,
  );
}

/** What is neither is refused in the words of who calls, who knows of no "sandboxPolicy". */
function objectOf(asked: unknown): unknown {
  if (typeof asked === "object" && asked !== null) return asked;
  throw new PolicyError(
    "malformed",
    `Cannot use policy ${asked}: there is no default, expected ${SandboxMode.options.join(", ")}, or an object as thread/start takes it`,
  );
}
