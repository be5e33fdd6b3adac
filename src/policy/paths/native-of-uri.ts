/**
 * What a {@link PathUri} means to a machine.
 *
 * `nativeOfUri` answers for the machine the URI was written for; `hostPathOfUri`
 * answers for this one and refuses what belongs to another.
 */
import { PolicyError } from "../policy-error.ts";
import { type AbsolutePath, parseAbsolutePath } from "./absolute-path.ts";
import type { PathConvention } from "./native-path.ts";
import { isOpaque, openOpaque } from "./opaque-path.ts";
import type { PathUri } from "./path-uri.ts";
import { uriOfNative } from "./uri-of-native.ts";

export type HostSystem = "linux" | "macos";

/** The kind of machine a URI was written for; nothing for an opaque one with an unreadable payload. */
export function conventionOfUri(uri: PathUri): PathConvention | undefined {
  if (isOpaque(uri)) return openOpaque(uri)?.convention;
  const { host, segments } = partsOf(uri);
  return host !== "" || /^[A-Z]:$/.test(segments[0] ?? "") ? "windows" : "posix";
}

/** The native spelling, if it reads back as the same URI; otherwise nothing. */
export function nativeOfUri(uri: PathUri): string | undefined {
  // Most paths need no escapes; canonical text is then the path itself.
  if (PLAIN_POSIX.test(uri)) return uri.slice("file://".length);
  const path = spell(uri);
  if (path === undefined || path.includes("\0")) return undefined;
  return uriOfNative(path) === uri ? path : undefined;
}

const PLAIN_POSIX = /^file:\/\/\/(?![A-Za-z]:(?:\/|$))[^%]*$/;

/** The path on this host. Throws on a path of another system, a hidden separator or a NUL. */
export function hostPathOfUri(uri: PathUri, system: HostSystem): AbsolutePath {
  const path = conventionOfUri(uri) === "posix" ? nativeOfUri(uri) : undefined;
  if (path === undefined) {
    throw new PolicyError("unbindable", `'${uri}' is invalid on '${system}'`);
  }
  return parseAbsolutePath(path);
}

/** Host and encoded segments of a canonical URI. */
export function partsOf(uri: PathUri): { host: string; segments: string[] } {
  const [host = "", ...segments] = uri.slice("file://".length).split("/");
  return { host, segments: segments.filter(Boolean) };
}

function spell(uri: PathUri): string | undefined {
  if (isOpaque(uri)) return openOpaque(uri)?.path;
  const { host, segments } = partsOf(uri);
  try {
    const names = segments.map(decodeURIComponent);
    if (conventionOfUri(uri) === "posix") return `/${names.join("/")}`;
    if (host !== "") return `\\\\${[host, ...names].join("\\")}`;
    return names.length === 1 ? `${names[0]}\\` : names.join("\\");
  } catch {
    return undefined;
  }
}
