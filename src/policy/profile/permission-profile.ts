/**
 * What is allowed, in the one form that everything inside writ uses.
 *
 * A profile is symbolic: `:workspace_roots` and its like stay symbols until
 * `bindProfile` gives them the paths of one host. Wire shapes live in
 * `dialects/`; nothing but a dialect or a conversion makes a profile.
 */
import type { Entry } from "./entry.ts";
import type { Limits } from "./limits.ts";
import type { Network } from "./network.ts";
import type { UnixSockets } from "./unix-sockets.ts";

export type PermissionProfile =
  /** writ builds the sandbox. */
  | {
      readonly type: "managed";
      readonly fileSystem: FileSystem;
      readonly network: Network;
      readonly unixSockets: UnixSockets;
      readonly limits?: Limits;
    }
  /** No sandbox, on purpose. */
  | { readonly type: "disabled"; readonly limits?: Limits }
  /** Somebody else isolates the file system; only network and sockets are ours to state. */
  | {
      readonly type: "external";
      readonly network: Network;
      readonly unixSockets: UnixSockets;
      readonly limits?: Limits;
    };

export type FileSystem =
  | { readonly type: "unrestricted" }
  | {
      readonly type: "restricted";
      readonly entries: readonly Entry[];
      /** How deep a back-end must look for glob matches; the rule itself holds at every depth. */
      readonly globScanMaxDepth?: number;
    };
