/**
 * Places that outlive a command, on the machine of an executor.
 *
 * An anchor has a home and a folder for temporary files of its own, a shelf that
 * its owner fills and its commands only read, and holds a network of its own, with
 * nothing in it but a loopback: what one command of the anchor listens on there
 * another one reaches, and nobody else does.
 */
import type { PathUri } from "../policy/index.ts";
import type { AnchorLayer } from "./anchors/anchor-layer.ts";
import type { ShelfChange } from "./anchors/shelf-change.ts";
import type { SandboxIntent } from "./intent/sandbox-intent.ts";

export interface AnchorRequest {
  /** Chosen by the caller; refused where one of that name is alive. */
  readonly anchorId: string;
  /** Names of the caller: thread. */
  readonly ids: Readonly<Record<string, string>>;
  /** A folder that its commands find beside their own; only on the machine of whoever asks. */
  readonly layer?: AnchorLayer | undefined;
  /**
   * Folders of the machine whose changes stay in the anchor: its commands and file operations see what
   * is there with what they wrote themselves, nobody else does, and it goes with the anchor. A layer may
   * be among them. Throws where that cannot be kept.
   */
  readonly overlays?: readonly PathUri[] | undefined;
  /** What all that is done in it may open at most, wherever paths lead. */
  readonly base?: SandboxIntent | undefined;
}

export interface Anchor {
  readonly anchorId: string;
  readonly ids: Readonly<Record<string, string>>;
  readonly home: PathUri;
  readonly tmp: PathUri;
  readonly shelf: PathUri;
  readonly createdAt: number;
}

export interface IntentQuestion {
  readonly intent: SandboxIntent;
  /** What it is held against. */
  readonly base: SandboxIntent;
  /** Where symbols are bound. */
  readonly cwd: PathUri;
}

export interface IntentAnswer {
  readonly boundDigest: string;
  /** True where the intent allows nothing that the base does not. */
  readonly isWithin: boolean;
}

export interface AnchorOperations {
  /** Whether anchors may be asked for with overlays; whoever does not say so would pass over the word. */
  readonly hasOverlays?: boolean;
  /** Makes one. It ends when it is closed, or with the executor that made it. */
  open(request: AnchorRequest): Promise<Anchor>;
  /** Throws {@link ExecError} `unknownAnchor` unless it is alive. Cheap. */
  find(anchorId: string): Promise<Anchor>;
  list(): Promise<readonly Anchor[]>;
  /** What an intent comes to in an anchor, on its machine. Throws where it cannot be bound there. */
  compare(anchorId: string, question: IntentQuestion): Promise<IntentAnswer>;
  /** Puts files on its shelf and takes files away, whatever the policy of commands. Throws where there is no room. */
  stock(anchorId: string, change: ShelfChange): Promise<void>;
  /** Ends all that runs in it, and removes its folders; false when there is none. */
  close(anchorId: string): Promise<boolean>;
}
