/**
 * The escape hatch of {@link PathUri}: paths that plain segments cannot say.
 *
 * The payload is the path's own bytes: UTF-8 for POSIX, UTF-16LE for Windows.
 */
import type { PathConvention } from "./native-path.ts";
import { OPAQUE_PREFIX, type PathUri } from "./path-uri.ts";

export interface OpaquePath {
  readonly convention: PathConvention;
  readonly path: string;
}

/** Hides a path in a URI that contains nothing and is contained in nothing but itself. */
export function opaqueUri({ convention, path }: OpaquePath): PathUri {
  const bytes = Buffer.from(path, convention === "posix" ? "utf8" : "utf16le");
  return `${OPAQUE_PREFIX}${bytes.toString("base64url")}` as PathUri;
}

/** True for every URI that holds a NUL, well-formed payload or not. */
export function isOpaque(uri: PathUri): boolean {
  return uri.includes("%00");
}

/** The path inside, or nothing when the payload is not exactly what {@link opaqueUri} writes. */
export function openOpaque(uri: PathUri): OpaquePath | undefined {
  if (!uri.startsWith(OPAQUE_PREFIX)) return undefined;
  const bytes = Buffer.from(uri.slice(OPAQUE_PREFIX.length), "base64url");
  const candidates: OpaquePath[] = [
    { convention: "posix", path: bytes.toString("utf8") },
    { convention: "windows", path: bytes.toString("utf16le") },
  ];
  return candidates.find(
    ({ convention, path }) =>
      path.startsWith(convention === "posix" ? "/" : "\\\\") &&
      opaqueUri({ convention, path }) === uri,
  );
}
