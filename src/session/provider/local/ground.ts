/**
 * What a sandbox stands on: an anchor of its executor, or the executor alone.
 *
 * An anchor has a home, a tmp and a loopback of its own, and ends. Where the
 * executor has none, there is nothing to make and nothing to end; policies are
 * then compared as they were asked for, and only equal ones are within each other.
 */
import { createHash } from "node:crypto";
import {
  ExecError,
  type Executor,
  FileError,
  type SandboxIntent,
  type ShelfChange,
} from "../../../exec/index.ts";
import {
  type AbsolutePath,
  type PathUri,
  profileDigest,
  uriOfNative,
} from "../../../policy/index.ts";
import { Refusal } from "../../refusal.ts";
import { SessionError } from "../../session-error.ts";

type Anchors = NonNullable<Executor["anchors"]>;
type IntentAnswer = Awaited<ReturnType<Anchors["compare"]>>;

export interface GroundRequest {
  readonly id: string;
  readonly thread: string;
  readonly intent: SandboxIntent;
  readonly workspace: PathUri;
  /** What its commands find beside their own; only where there are anchors. */
  readonly layer?: AbsolutePath | undefined;
  /** What of it is kept apart from the host, in an overlay. */
  readonly apart?: Apart;
}

/** Of which folders the writes of a sandbox stay in it. */
export interface Apart {
  /** Held, or nothing is made. */
  readonly workspace?: boolean;
  /** Where its machine can; elsewhere a layer is only read. */
  readonly layer?: boolean;
}

/** Throws what the executor throws, or a {@link SessionError}. */
export interface Ground {
  /** Null where the executor has no anchors. */
  readonly anchor: string | null;
  /** Null where there is none, and before it is open. */
  findShelf(): PathUri | null;
  open(): Promise<void>;
  /** Throws where there is no shelf. */
  stock(change: ShelfChange): Promise<void>;
  /** Settles where it is there. Cheap. */
  probe(): Promise<void>;
  compare(intent: SandboxIntent, base: SandboxIntent): Promise<IntentAnswer>;
  /** Ends all that runs on it; settles also where it was over. */
  close(): Promise<void>;
}

/** The best ground that an executor has for a sandbox; nothing is made yet. */
export function groundOn(executor: Executor, request: GroundRequest): Ground {
  const { anchors } = executor;
  return anchors === undefined ? bareGround(executor, request) : anchorGround(anchors, request);
}

function anchorGround(anchors: Anchors, request: GroundRequest): Ground {
  const { id, workspace: cwd } = request;
  let shelf: PathUri | null = null;
  return {
    anchor: id,
    findShelf: () => shelf,
    async open() {
      ({ shelf } = await openAnchor(anchors, request));
    },
    stock: (change) => anchors.stock(id, change),
    probe: async () => void (await anchors.find(id)),
    compare: (intent, base) => anchors.compare(id, { intent, base, cwd }),
    close: async () => void (await anchors.close(id)),
  };
}

/** No policy is in question yet: what cannot be enforced here is a failure of the machine. */
async function openAnchor(anchors: Anchors, request: GroundRequest): ReturnType<Anchors["open"]> {
  const { id: anchorId, thread, intent: base, layer: path, apart } = request;
  const layer = path && ({ path, access: "read" } as const);
  const plain = { anchorId, ids: { thread, session: anchorId }, layer, base };
  const overlays = overlaysOf(request, anchors);
  try {
    return await anchors.open({ ...plain, overlays }).catch((error) => {
      // A layer that cannot be written can be read all the same.
      if (overlays.length === 0 || apart?.workspace || !isLack(error)) throw error;
      return anchors.open(plain);
    });
  } catch (cause) {
    if (!isLack(cause)) throw cause;
    throw new Refusal("unavailable", `Cannot make a sandbox: ${cause.message}`, { cause });
  }
}

function overlaysOf(
  { workspace, layer, apart = {} }: GroundRequest,
  { hasOverlays }: Anchors,
): PathUri[] {
  const isWritten = layer !== undefined && apart.layer && hasOverlays;
  return [...(apart.workspace ? [workspace] : []), ...(isWritten ? [uriOfNative(layer)] : [])];
}

function isLack(error: unknown): error is ExecError {
  return error instanceof ExecError && error.code === "unenforceable";
}

function bareGround({ files }: Executor, { intent, workspace }: GroundRequest): Ground {
  const probe = async () => {
    try {
      const at = { path: workspace, links: "follow", sandbox: intent, anchor: null } as const;
      await files.getMetadata(at);
    } catch (error) {
      // It has answered, which is all that was asked.
      if (!(error instanceof FileError)) throw error;
    }
  };
  return {
    anchor: null,
    findShelf: () => null,
    async stock() {
      throw new Refusal("unsupported", "Cannot fill a shelf: its machine has none");
    },
    open: probe,
    probe,
    async compare(one, base) {
      const digest = askedDigest(one);
      return { boundDigest: digest, isWithin: digest === askedDigest(base) };
    },
    close: async () => {},
  };
}

/** Names what was asked for; what it means is known to the machine that enforces it alone. */
function askedDigest(intent: SandboxIntent): string {
  const asked = intent.kind === "waived" ? [intent.kind] : wordsOf(intent.context);
  return `asked-${createHash("sha256").update(JSON.stringify(asked)).digest("hex")}`;
}

function wordsOf(context: Extract<SandboxIntent, { kind: "enforce" }>["context"]): unknown[] {
  const { profile, cwd, workspaceRoots, policyContext, settings } = context;
  return [profileDigest(profile), cwd, workspaceRoots, policyContext, settings];
}
