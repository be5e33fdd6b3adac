/**
 * Work on files under an intent: with the view of a command there, from the anchor that is named.
 *
 * Views from an anchor are kept with its place and are gone with it. The same
 * intent from elsewhere has others, since what is open here is hidden there.
 */
import type { AbsolutePath } from "../../policy/index.ts";
import { checkOverlays, SandboxError } from "../../sandbox/index.ts";
import type { AnchorPlace } from "../anchors/anchor-place.ts";
import type { LocalAnchors } from "../anchors/local-anchors.ts";
import { unknownAnchor } from "../anchors/unknown-anchor.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { type BoundIntent, pathOf } from "../intent/bind-intent.ts";
import { FileError, fileErrorOf } from "./file-error.ts";
import type { AtPath } from "./file-operations.ts";
import { FileViews } from "./file-views.ts";
import { PathWalk } from "./places/path-walk.ts";

/** A path of this host. */
export interface LocalPath {
  readonly path: AbsolutePath;
  readonly links: AtPath["links"];
  /** Aborts when its anchor ends, with what is to be said then. */
  readonly over: AbortSignal | undefined;
}

export type FileWork<T> = (walk: PathWalk, at: LocalPath) => Promise<T> | T;

/** Where anchors are entered. */
export type AnchorEntrance = Pick<LocalAnchors, "use">;

export class UnderIntent {
  readonly #host: ExecHost;
  readonly #anchors: AnchorEntrance | undefined;
  readonly #views: FileViews;
  readonly #anchored = new WeakMap<AnchorPlace, FileViews>();

  /** Without an entrance every anchor is unknown. */
  constructor(host: ExecHost, anchors: AnchorEntrance | undefined) {
    this.#host = host;
    this.#anchors = anchors;
    this.#views = new FileViews(host, undefined);
  }

  /**
   * Throws `ExecError` before anything is touched where the anchor or the intent cannot hold. What is
   * refused may be done once more, so it must not have changed anything by then.
   */
  async run<T>(at: AtPath, work: FileWork<T>, know: Know = () => {}): Promise<T> {
    return this.#among(at, (looking) => seen({ ...looking, know }, work));
  }

  /** The same for work that changes one thing after the other: never done twice. */
  async runOnce<T>(at: AtPath, work: FileWork<T>): Promise<T> {
    return this.#among(at, (looking) => seenAnew({ ...looking, know: () => {} }, work));
  }

  async #among<T>(at: AtPath, look: (looking: Looking) => Promise<T>): Promise<T> {
    const { anchor, links, sandbox } = at;
    const path = pathOf(at.path, "path", this.#host);
    refuseMoved(this.#host);
    if (anchor === null)
      return look({ views: this.#views, sandbox, at: { path, links, over: undefined } });
    if (this.#anchors === undefined) throw unknownAnchor(anchor);
    return this.#anchors.use(anchor, (place, over) =>
      look({ views: this.#viewsFrom(place), sandbox, at: { path, links, over } }),
    );
  }

  #viewsFrom(place: AnchorPlace): FileViews {
    const views = this.#anchored.get(place) ?? new FileViews(this.#host, place);
    this.#anchored.set(place, views);
    return views;
  }
}

function refuseMoved({ overlays = [] }: ExecHost): void {
  try {
    checkOverlays(overlays);
  } catch (cause) {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new ExecError("unenforceable", cause.message, { cause, field: "anchor" });
  }
}

/** Told what the work is held to before it begins; again where it is begun again. */
export type Know = (intent: BoundIntent) => void;

interface Looking {
  readonly views: FileViews;
  readonly sandbox: AtPath["sandbox"];
  readonly at: LocalPath;
}

type Knowing = Looking & { readonly know: Know };

async function seen<T>(knowing: Knowing, work: FileWork<T>): Promise<T> {
  const { views, sandbox, at, know } = knowing;
  const { view, intent, fresh } = await views.of(sandbox);
  know(intent);
  try {
    return await within(new PathWalk(view), at, work);
  } catch (error) {
    // A kept view may be behind: what it refuses may have been opened a moment ago.
    if (fresh || !(error instanceof FileError) || !error.byPolicy) throw error;
    return seenAnew(knowing, work);
  }
}

async function seenAnew<T>({ views, sandbox, at, know }: Knowing, work: FileWork<T>): Promise<T> {
  const { view, intent } = await views.renew(sandbox);
  know(intent);
  return within(new PathWalk(view), at, work);
}

async function within<T>(walk: PathWalk, at: LocalPath, work: FileWork<T>): Promise<T> {
  try {
    at.over?.throwIfAborted();
    return await work(walk, at);
  } catch (cause) {
    throw fileErrorOf(cause);
  } finally {
    walk.close();
  }
}
