/** How path URIs relate: equality, containment, parent and join, by whole decoded segments. */
import { PolicyError } from "../policy-error.ts";
import { conventionOfUri, partsOf } from "./native-of-uri.ts";
import { conventionOf, fold } from "./native-path.ts";
import { isOpaque } from "./opaque-path.ts";
import { encodeSegment, type PathUri, uriOfSegments } from "./path-uri.ts";
import { uriOfNative } from "./uri-of-native.ts";

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

/** Resolves native text against a URI: absolute text replaces it, `..` stops at the anchor. */
export function joinUri(base: PathUri, text: string): PathUri {
  if (text.includes("\0") || !text.isWellFormed() || isOpaque(base)) {
    throw new PolicyError("invalidPath", `Cannot join ${JSON.stringify(text)} to "${base}"`);
  }
  const convention = conventionOfUri(base);
  if (conventionOf(text) === convention) return uriOfNative(text);
  const { host, segments } = partsOf(base);
  if (convention === "posix") {
    const names = fold([...segments, ...text.split("/").map(encodeSegment)]);
    // A first name like "C:" would read as a drive; only the opaque form says it.
    const drive = /^[A-Za-z]:$/.test(names[0] ?? "");
    return drive ? uriOfNative(`/${names.map(decoded).join("/")}`) : uriOfSegments("", names);
  }
  const [anchor = "", ...rest] = segments;
  const { from, tail } = windowsStep(text, anchor, rest);
  return uriOfSegments(host, [anchor, ...fold([...from, ...tail.map(encodeSegment)])]);
}

function windowsStep(text: string, anchor: string, rest: readonly string[]) {
  const drive = /^([A-Za-z]:)(.*)$/s.exec(text);
  if (drive !== null && drive[1]?.toUpperCase() !== anchor) {
    throw new PolicyError("invalidPath", `Cannot join "${text}": it is on another drive`);
  }
  const plain = drive?.[2] ?? text;
  return { from: /^[\\/]/.test(plain) ? [] : rest, tail: plain.split(/[\\/]/) };
}

function comparable(uri: PathUri): string[] | undefined {
  const { host, segments } = partsOf(uri);
  const windows = conventionOfUri(uri) === "windows";
  const separator = windows ? /[/\\]/ : /\//;
  const names = [host, ...segments.map(decoded)];
  if (names.some((name) => separator.test(name))) return undefined;
  return windows ? names.map(lowerAscii) : names;
}

/** A segment that is not UTF-8 is compared as it is written. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
