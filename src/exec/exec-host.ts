import type { AbsolutePath, Ceiling, HostRoots } from "../policy/index.ts";
import type { HeldOverlay, OwnPaths, SeenPath } from "../sandbox/index.ts";

/** The machine that runs commands, and what its operator allows on it. No member has a default. */
export interface ExecHost {
  /** The variables of this process, never those of a command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** What `:tmpdir` means here, and where it led when this process started; nothing without `TMPDIR`. */
  readonly tmpdir: SeenPath | undefined;
  /** Where the user of this process is at home, by all that says so; empty where nothing does. */
  readonly homes: readonly AbsolutePath[];
  /** What belongs to writ and stays out of a command's hands. */
  readonly own: OwnPaths;
  /** Where placeholders and living sandboxes are on record. */
  readonly records: AbsolutePath;
  /** Whether the operator vouches for a sandbox around this process. */
  readonly externalSandbox: HostRoots["externalSandbox"];
  readonly bounds: HostBounds;
  /** What this process sees otherwise than the rest of the host does: most see nothing so. */
  readonly overlays?: readonly HeldOverlay[];
}

/** What any request is held against, whoever sends it. */
export interface HostBounds {
  /** All of them hold. */
  readonly ceilings: readonly Ceiling[];
  /** Where workspace roots may lie; `notHome` is anywhere but where the user's own home is. */
  readonly roots: readonly AbsolutePath[] | "notHome" | "any";
  /** Whether a command may run without a sandbox when the request says so. */
  readonly waivers: "allowed" | "refused";
  /** `refused` where a command in the host's network could reach what it must not, such as this executor. */
  readonly hostNetwork: "allowed" | "refused";
}
