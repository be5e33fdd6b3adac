/**
 * What a command under an intent would see of the files here, in an anchor or in none.
 *
 * A view costs a look at every rule, so it is kept for a moment. It says where
 * rules apply, by real paths; what a path leads to is looked up every time, so
 * a link that is planted meanwhile leads nowhere that the view does not know.
 */
import { boundDigest } from "../../policy/index.ts";
import { type FileView, SandboxError, viewOnHost } from "../../sandbox/index.ts";
import type { AnchorPlace } from "../anchors/anchor-place.ts";
import { bindInAnchor, ownInAnchor } from "../anchors/bind-in-anchor.ts";
import { ExecError } from "../exec-error.ts";
import type { ExecHost } from "../exec-host.ts";
import { type BoundIntent, bindIntent } from "../intent/bind-intent.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import { type LedTo, leadsThere, ledTo } from "./places/led-to.ts";

const KEPT_MS = 1000;
const MOST = 256;

interface Kept {
  readonly view: Promise<FileView>;
  readonly until: number;
}

/** A view that an intent led to, as long as its roots lead where they led then. */
interface Known extends Kept {
  readonly roots: readonly LedTo[];
  readonly intent: BoundIntent;
}

export interface GivenView {
  readonly view: FileView;
  /** What it is the view of. */
  readonly intent: BoundIntent;
  /** Made for this call and not before. */
  readonly fresh: boolean;
}

/** The views from one place. Those from another are never kept with them, whatever their policy. */
export class FileViews {
  readonly #host: ExecHost;
  readonly #anchor: AnchorPlace | undefined;
  readonly #byIntent = new WeakMap<SandboxIntent, Known>();
  readonly #byBound = new Map<string, Kept>();

  constructor(host: ExecHost, anchor: AnchorPlace | undefined) {
    this.#host = host;
    this.#anchor = anchor;
  }

  /** The view of an intent. Throws `ExecError` where the intent cannot hold here. */
  async of(intent: SandboxIntent): Promise<GivenView> {
    const now = performance.now();
    const known = alive(this.#byIntent.get(intent), now);
    // A root that was turned elsewhere may not be allowed there: the intent is bound again.
    if (known === undefined || !known.roots.every(leadsThere)) return this.#make(intent, now);
    return { view: await known.view, intent: known.intent, fresh: false };
  }

  /** The view as of now, whatever was kept. */
  renew(intent: SandboxIntent): Promise<GivenView> {
    return this.#make(intent, Number.POSITIVE_INFINITY);
  }

  async #make(intent: SandboxIntent, now: number): Promise<GivenView> {
    const binding = this.#bind(intent);
    const { bound, seen, within } = binding;
    const roots = seen.map(ledTo);
    // A digest knows names. Under the same names, what a turned root leads to now has another view, or none.
    const key = `${boundDigest(bound)} ${JSON.stringify(roots)}`;
    const known = alive(this.#byBound.get(key), now);
    const kept = known ?? {
      view: viewOnHost(bound, this.#own, { seen, ...(within && { within }) }).catch(refuse),
      until: performance.now() + KEPT_MS,
    };
    this.#byIntent.set(intent, { ...kept, roots, intent: binding });
    this.#keep(key, kept);
    try {
      return { view: await kept.view, intent: binding, fresh: known === undefined };
    } catch (error) {
      // What stands in the way may be gone the next time.
      if (this.#byBound.get(key) === kept) this.#byBound.delete(key);
      this.#byIntent.delete(intent);
      throw error;
    }
  }

  #bind(intent: SandboxIntent): BoundIntent {
    if (this.#anchor === undefined) return bindIntent(intent, undefined, this.#host);
    return bindInAnchor({ intent, cwd: undefined }, this.#anchor, this.#host);
  }

  get #own(): ExecHost["own"] {
    return this.#anchor === undefined ? this.#host.own : ownInAnchor(this.#host, this.#anchor);
  }

  #keep(key: string, kept: Kept): void {
    this.#byBound.delete(key);
    this.#byBound.set(key, kept);
    const [oldest] = this.#byBound.keys();
    if (this.#byBound.size > MOST && oldest !== undefined) this.#byBound.delete(oldest);
  }
}

function alive<K extends Kept>(kept: K | undefined, now: number): K | undefined {
  return kept !== undefined && now < kept.until ? kept : undefined;
}

function refuse(cause: unknown): never {
  if (!(cause instanceof SandboxError)) throw cause;
  throw new ExecError("unenforceable", cause.message, { cause, field: "sandbox" });
}
