/** How path URIs relate: equality, containment and parent, by whole decoded segments. */
import { decodedSegment } from "./fold-segments.ts";
import { conventionOfUri, partsOf } from "./native-of-uri.ts";
import { isOpaque } from "./opaque-path.ts";
import { type PathUri, uriOfSegments } from "./path-uri.ts";

/** True when both name one path; Windows names compare without regard to ASCII case. */
export function sameUri(a: PathUri, b: PathUri): boolean {
  return a === b || (uriContains(a, b) && uriContains(b, a));
}

/** True when `child` is `parent` or below it. A segment that hides a separator is in no place. */
export function uriContains(parent: PathUri, child: PathUri): boolean {
  if (isOpaque(parent) || isOpaque(child)) return parent === child;
  const convention = conventionOfUri(parent);
  if (convention !== conventionOfUri(child)) return false;
  const outer = comparable(parent);
  const inner = comparable(child);
  if (outer === undefined || inner === undefined) return false;
  return outer.length <= inner.length && outer.every((name, index) => name === inner[index]);
}

/** Equal for URIs that name one path, also where case means nothing. */
export function comparableUri(uri: PathUri): string {
  return conventionOfUri(uri) === "windows" ? lowerAscii(uri) : uri;
}

/** True when `path` lies below one of the places, or is one. The set holds comparable URIs. */
export function isBelowAny(path: PathUri, places: ReadonlySet<string>): boolean {
  for (let above: PathUri | undefined = path; above !== undefined; above = parentUri(above)) {
    if (places.has(comparableUri(above))) return true;
  }
  return false;
}

/** The URI one level up, or nothing at a root, a drive, a share or an opaque path. */
export function parentUri(uri: PathUri): PathUri | undefined {
  if (isOpaque(uri)) return undefined;
  const { host, segments } = partsOf(uri);
  const anchor = conventionOfUri(uri) === "windows" ? 1 : 0;
  return segments.length <= anchor ? undefined : uriOfSegments(host, segments.slice(0, -1));
}

function comparable(uri: PathUri): string[] | undefined {
  const { host, segments } = partsOf(uri);
  const windows = conventionOfUri(uri) === "windows";
  const separator = windows ? /[/\\]/ : /\//;
  const names = [host, ...segments.map(decodedSegment)];
  if (names.some((name) => separator.test(name))) return undefined;
  return windows ? names.map(lowerAscii) : names;
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
