/**
 * A profile whose every path is a path of this host.
 *
 * Only `bindProfile` and `narrow` make one. Entries hold one rule per path: of
 * several, the one that decides.
 */
import type { AbsolutePath } from "../paths/absolute-path.ts";
import type { HostSystem } from "../paths/native-of-uri.ts";
import type { Access } from "../profile/access.ts";
import type { Limits } from "../profile/limits.ts";
import type { NetworkRules } from "../profile/network.ts";
import type { ProtectedName } from "../profile/protected-names.ts";
import type { UnixSockets } from "../profile/unix-sockets.ts";
import type { GlobRule } from "./glob-tree.ts";

/** What the symbols mean on the host that is about to run the command. No member has a default. */
export interface HostRoots {
  readonly system: HostSystem;
  readonly cwd: AbsolutePath;
  readonly workspaceRoots: readonly AbsolutePath[];
  /** `TMPDIR` of the process that enforces, never of the command. */
  readonly tmpdir: AbsolutePath | undefined;
  readonly slashTmp: AbsolutePath | undefined;
  /** What `:minimal` opens: the folders a program needs to start at all. */
  readonly platformDefaults: readonly AbsolutePath[];
  readonly protectedNames: readonly ProtectedName[];
  /** Whether the operator of this host said that something outside writ confines it. */
  readonly externalSandbox: "trusted" | "absent";
}

export interface BoundEntry {
  readonly path: AbsolutePath;
  readonly access: Access;
  /** Names that stay read-only directly below a writable path. */
  readonly protects: readonly ProtectedName[];
  /** The entry it came from, in words. */
  readonly rule: string;
}

export type BoundNetwork =
  | { readonly kind: "restricted" }
  | { readonly kind: "enabled" }
  /** Every set must allow a destination. */
  | { readonly kind: "ruled"; readonly all: readonly NetworkRules[] };

/** Who enforces, from the one that restricts most. */
export const ENFORCEMENT_FREEDOM = { managed: 0, external: 1, disabled: 2 } as const;

export interface BoundProfile {
  /** Who enforces: writ, nobody, or what the operator vouches for. */
  readonly enforcement: "managed" | "disabled" | "external";
  /** Absent from the type on purpose: "no entries" is a list that is empty and allows nothing. */
  readonly files:
    | { readonly type: "unrestricted" }
    | {
        readonly type: "restricted";
        readonly entries: readonly BoundEntry[];
        readonly globs: readonly GlobRule[];
        readonly globScanMaxDepth?: number;
      };
  readonly network: BoundNetwork;
  /** Always `host` without a sandbox: there is nothing that would keep one away. */
  readonly unixSockets: UnixSockets;
  readonly limits?: Limits;
  /** Where the symbols were bound. It names the place in digests and grants nothing. */
  readonly roots: Pick<HostRoots, "cwd" | "workspaceRoots" | "tmpdir" | "slashTmp">;
}
