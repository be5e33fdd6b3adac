/**
 * The policy a caller may ask for, in the words of the app-server protocol.
 *
 * Nothing behind the door reads it: `profileOfPolicy` turns it into a
 * `PermissionProfile` once. Restricted reads are kept and meant, though newer
 * Codex clients no longer send them.
 */
import { z } from "zod";
import { NativePath } from "../schemas/native-path.ts";
import { SANDBOX_MODES } from "./sandbox-modes.ts";

export const SandboxMode = z.enum(SANDBOX_MODES);
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Where reads may go when they may not go everywhere. */
export type ReadOnlyAccess =
  | { readonly type: "fullAccess" }
  | {
      readonly type: "restricted";
      readonly includePlatformDefaults: boolean;
      readonly readableRoots: readonly string[];
    };

export type SandboxPolicy =
  | { readonly type: "dangerFullAccess" }
  | {
      readonly type: "readOnly";
      readonly access: ReadOnlyAccess;
      readonly networkAccess: boolean;
    }
  | { readonly type: "externalSandbox"; readonly networkAccess: "restricted" | "enabled" }
  | {
      readonly type: "workspaceWrite";
      readonly writableRoots: readonly string[];
      readonly readOnlyAccess: ReadOnlyAccess;
      readonly networkAccess: boolean;
      readonly excludeTmpdirEnvVar: boolean;
      readonly excludeSlashTmp: boolean;
    };

/** How an object schema treats members it does not know: the published schema is open, the reader is strict. */
type ObjectKind = typeof z.object | typeof z.strictObject;

const roots = z.array(NativePath).prefault([]);
const flag = z.boolean().default(false);

function readOnlyAccess(object: ObjectKind) {
  return z
    .discriminatedUnion("type", [
      object({
        type: z.literal("restricted"),
        includePlatformDefaults: z
          .boolean()
          .default(true)
          .meta({ description: "Also the folders a program needs to start." }),
        readableRoots: roots.meta({ description: "What else may be read; nothing is implied." }),
      }),
      object({ type: z.literal("fullAccess") }),
    ])
    .prefault({ type: "fullAccess" });
}

/** The four policies of the protocol, with every default as it has them. */
export function sandboxPolicySchema(object: ObjectKind) {
  return z
    .discriminatedUnion("type", [
      object({ type: z.literal("dangerFullAccess") }),
      object({
        type: z.literal("readOnly"),
        access: readOnlyAccess(object),
        networkAccess: flag,
      }),
      object({
        type: z.literal("externalSandbox"),
        networkAccess: z.enum(["restricted", "enabled"]).default("restricted"),
      }),
      object({
        type: z.literal("workspaceWrite"),
        writableRoots: roots.meta({ description: "Writable beside the workspace roots." }),
        readOnlyAccess: readOnlyAccess(object),
        networkAccess: flag,
        excludeTmpdirEnvVar: flag.meta({ description: "Keep `$TMPDIR` read-only." }),
        excludeSlashTmp: flag.meta({ description: "Keep `/tmp` read-only." }),
      }),
    ])
    .meta({ id: "SandboxPolicy", description: "What the commands of a thread may touch." });
}
