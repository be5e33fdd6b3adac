/** The app-server dialect of {@link SandboxPolicy}: camelCase members, camelCase `type`. */
import { z } from "zod";
import { type SandboxPolicy, sandboxPolicySchema } from "../profile/sandbox-policy.ts";
import { readShape } from "../read-shape.ts";

const strict = sandboxPolicySchema(z.strictObject);

/** Reads a policy; an unknown member could be a restriction, so it is refused. */
export function readCamelPolicy(value: unknown): SandboxPolicy {
  return readShape(strict, value, "sandboxPolicy");
}

/** Writes every member, defaults included, as the app-server does. */
export function writeCamelPolicy(policy: SandboxPolicy): z.input<typeof strict> {
  return structuredClone(policy) as z.input<typeof strict>;
}
