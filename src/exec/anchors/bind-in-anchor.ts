/** An intent as it is bound in an anchor: temporary files, and a home, are the anchor's own. */
import {
  type AbsolutePath,
  accessTo,
  type BoundEntry,
  type BoundProfile,
} from "../../policy/index.ts";
import type { ExecHost } from "../exec-host.ts";
import { type BoundIntent, bindIntent } from "../intent/bind-intent.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import { openLayer } from "./anchor-layer.ts";
import type { AnchorPlace } from "./anchor-place.ts";

export interface AnchoredIntent {
  readonly intent: SandboxIntent;
  /** Stands in where the intent names none. */
  readonly cwd: AbsolutePath | undefined;
}

type Folders = Pick<AnchorPlace, "home" | "tmp" | "layer">;

/**
 * Binds an intent in an anchor. Its home may be used like its folder for temporary files: neither is
 * opened further than the policy opens the latter.
 */
export function bindInAnchor(
  { intent, cwd }: AnchoredIntent,
  folders: Folders,
  host: ExecHost,
): BoundIntent {
  const there = { ...host, env: { ...host.env, TMPDIR: folders.tmp } };
  const bound = bindIntent(intent, cwd, there);
  return { ...bound, bound: opened(bound.bound, folders) };
}

/** What is kept from whoever works in an anchor: all of writ's own, but for the folders and the layer of that anchor. */
export function ownInAnchor({ own }: ExecHost, { home, tmp, layer }: Folders): ExecHost["own"] {
  if (layer === undefined) return { ...own, open: [home, tmp] };
  if (layer.access === "write") return { ...own, open: [home, tmp, layer.path] };
  return { ...own, open: [home, tmp], shown: [layer.path] };
}

function opened(bound: BoundProfile, { home, tmp, layer }: Folders): BoundProfile {
  if (bound.enforcement !== "managed") return bound;
  const access = accessTo(bound, tmp);
  const files = bound.files.type === "restricted" ? bound.files : EVERYTHING;
  const named = new Set(files.entries.map(({ path }) => path));
  // Names are protected for whoever trusts them later: nobody but its commands ever works in these.
  const entries = files.entries.map((one) => (one.path === tmp ? { ...one, protects: [] } : one));
  const added = [home, tmp]
    .filter((path) => !named.has(path))
    .map((path): BoundEntry => ({ path, access, protects: [], rule: "the anchor's own folders" }));
  const layers = layer === undefined ? [] : [openLayer(layer, files.entries)];
  return { ...bound, files: { ...files, entries: [...entries, ...added, ...layers] } };
}

const EVERYTHING: Extract<BoundProfile["files"], { type: "restricted" }> = {
  type: "restricted",
  entries: [
    { path: "/" as AbsolutePath, access: "write", protects: [], rule: "unrestricted files" },
  ],
  globs: [],
};
