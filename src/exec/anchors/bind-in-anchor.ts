/** An intent as it is bound in an anchor: temporary files, and a home, are the anchor's own. */
import { isDeepStrictEqual } from "node:util";
import {
  type AbsolutePath,
  type Access,
  accessTo,
  type BoundEntry,
  type BoundProfile,
  isWithin,
} from "../../policy/index.ts";
import type { ExecHost } from "../exec-host.ts";
import { type BoundIntent, bindIntent } from "../intent/bind-intent.ts";
import { realPathIfKnown } from "../intent/real-path-if-known.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import { openLayer } from "./anchor-layer.ts";
import type { AnchorPlace } from "./anchor-place.ts";

export interface AnchoredIntent {
  readonly intent: SandboxIntent;
  /** Stands in where the intent names none. */
  readonly cwd: AbsolutePath | undefined;
}

type Folders = Pick<AnchorPlace, "home" | "tmp" | "shelf" | "layer">;

/** Binds an intent in an anchor, with what the anchor lets it open at most. */
export function bindInAnchor(
  asked: AnchoredIntent,
  { base, ...folders }: Folders & Pick<AnchorPlace, "base">,
  host: ExecHost,
): BoundIntent {
  const bound = bindAmong(asked, folders, host);
  if (base === undefined || isDeepStrictEqual(asked.intent, base)) return bound;
  // Not where the request is: the base means the same for all that happens in the anchor.
  const { bound: within } = bindAmong({ intent: base, cwd: undefined }, folders, unbounded(host));
  return { ...bound, within };
}

/** Nothing runs under a base: where bounds got stricter since it was opened, what is asked for is held to them. */
function unbounded(host: ExecHost): ExecHost {
  const bounds = {
    ...host.bounds,
    ceilings: [],
    waivers: "allowed",
    hostNetwork: "allowed",
  } as const;
  return { ...host, bounds };
}

/**
 * Binds an intent among the folders of an anchor. Its home may be used like its folder for temporary
 * files: neither is opened further than the policy opens the latter. Its shelf is read and no more,
 * unless a rule denies the place that it lies in.
 */
function bindAmong({ intent, cwd }: AnchoredIntent, folders: Folders, host: ExecHost): BoundIntent {
  const { tmp } = folders;
  // Nobody but writ makes the folders above it.
  const there = { ...host, tmpdir: { path: tmp, real: realPathIfKnown(tmp) ?? tmp } };
  const bound = bindIntent(intent, cwd, there);
  return { ...bound, bound: opened(bound.bound, folders) };
}

/** What is kept from whoever works in an anchor: all of writ's own, but for what is of that anchor. */
export function ownInAnchor({ own }: ExecHost, folders: Folders): ExecHost["own"] {
  const { home, tmp, shelf, layer } = folders;
  const layers = (access: "read" | "write") => (layer?.access === access ? [layer.path] : []);
  return {
    ...own,
    open: [home, tmp, ...layers("write")],
    shown: [shelf, ...layers("read")],
  };
}

function opened(bound: BoundProfile, { home, tmp, shelf, layer }: Folders): BoundProfile {
  if (bound.enforcement !== "managed") return bound;
  const access = accessTo(bound, tmp);
  const files = bound.files.type === "restricted" ? bound.files : EVERYTHING;
  const named = new Set(files.entries.map(({ path }) => path));
  const entries = files.entries.map((one): BoundEntry => {
    // Names are protected for whoever trusts them later: nobody but its commands ever works in these.
    if (one.path === tmp) return { ...one, protects: [] };
    // Whoever wrote there would write what others believe to be from its owner.
    const isShelved = isWithin(one.path, shelf) && one.access === "write";
    return isShelved ? { ...one, access: "read", protects: [] } : one;
  });
  const own = (path: AbsolutePath, access: Access): BoundEntry[] =>
    named.has(path) ? [] : [{ path, access, protects: [], rule: "the anchor's own folders" }];
  const added = [
    ...own(home, access),
    ...own(tmp, access),
    ...own(shelf, shelfAccess(bound, shelf)),
    ...(layer === undefined ? [] : [openLayer(layer, files.entries)]),
  ];
  return { ...bound, files: { ...files, entries: [...entries, ...added] } };
}

const EVERYTHING: Extract<BoundProfile["files"], { type: "restricted" }> = {
  type: "restricted",
  entries: [
    { path: "/" as AbsolutePath, access: "write", protects: [], rule: "unrestricted files" },
  ],
  globs: [],
};

/** Only a rule that denies the place keeps it closed: that nobody opened it is no word against it. */
function shelfAccess(bound: BoundProfile, shelf: AbsolutePath): Access {
  const entries = bound.files.type === "restricted" ? bound.files.entries : [];
  const isNamed = entries.some((one) => one.access === "deny" && isWithin(shelf, one.path));
  return isNamed && accessTo(bound, shelf) === "deny" ? "deny" : "read";
}
