import { z } from "zod";

/**
 * The `sandbox` member of a request, as it came.
 *
 * It is read by `intentOfWire` and by nothing else: a schema here would drop
 * members it does not know, and one of those may be a restriction.
 */
export const SandboxMember = z
  .unknown()
  .optional()
  .describe("A FileSystemSandboxContext; null or absent asks for no sandbox.");
