/**
 * A location as a `file:` URI, so that one machine can name a path of another.
 *
 * The text is canonical: two URIs of one POSIX path are the same string. What a
 * URI means on a host is decided in `native-of-uri.ts`, not here; a URI that
 * means nothing here may still mean something elsewhere.
 */
import { PolicyError } from "../policy-error.ts";
import { foldSegments } from "./fold-segments.ts";

declare const uri: unique symbol;

export type PathUri = string & { readonly [uri]: true };

/** Where paths live that plain segments cannot say; the last segment is base64url of the bytes. */
export const OPAQUE_PREFIX = "file:///%00/bad/path/";

/** Reads and canonicalises a `file:` URI. The messages are those a Codex peer gives. */
export function parsePathUri(text: string): PathUri {
  if (text.length > MAX_URI) throw bad(`invalid URI: longer than ${MAX_URI} characters`);
  if (PLAIN.test(text)) return text as PathUri;
  const url = parseUrl(text);
  if (url.protocol !== "file:") {
    throw bad(`unsupported path URI scheme \`${url.protocol.slice(0, -1)}\``);
  }
  if (text.includes("?")) throw bad("query parameters are not allowed in path URIs");
  if (text.includes("#")) throw bad("fragments are not allowed in path URIs");
  if (url.username !== "" || url.password !== "") {
    throw bad("credentials are not allowed in path URIs");
  }
  if (url.port !== "") throw bad("ports are not allowed in path URIs");
  if (url.pathname.includes("%00")) return `file://${url.host}${url.pathname}` as PathUri;
  return uriOfSegments(url.host, foldSegments(url.pathname.split("/")).map(canonicalSegment));
}

/** Puts encoded segments together; a drive letter is written in upper case. */
export function uriOfSegments(authority: string, segments: readonly string[]): PathUri {
  const [first = "", ...rest] = segments;
  const anchor = authority === "" && DRIVE.test(first) ? first.toUpperCase() : first;
  return `file://${authority}/${[anchor, ...rest].join("/")}` as PathUri;
}

/** Percent-encodes one name so that every URL parser reads it back as this name. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(name).replace(/%(?:2[46BC]|3[ABD]|40|5[BD])/g, decodeURIComponent);
}

/** Most of them: names in which nothing is escaped or folded. The same text comes out of all that is done to others. */
const PLAIN = /^file:\/\/(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;

/** The longest path, every byte of it escaped. */
const MAX_URI = 3 * 4096 + 64;

const DRIVE = /^[A-Za-z]:$/;

function parseUrl(text: string): URL {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text))
    throw bad("invalid URI: relative URL without a base");
  // A URL parser would drop these without a word, and read "\" as a separator.
  if (/[\s\\\p{Cc}]/u.test(text) || !text.isWellFormed()) {
    throw bad("invalid URI: white space, control characters and backslashes must be encoded");
  }
  try {
    return new URL(text);
  } catch (cause) {
    throw bad("invalid URI: invalid international domain name", { cause });
  }
}

/** One spelling per name; a segment that hides a separator or is not UTF-8 stays as it came. */
function canonicalSegment(segment: string): string {
  try {
    const name = decodeURIComponent(segment);
    return name.includes("/") ? upperEscapes(segment) : encodeSegment(name);
  } catch {
    return upperEscapes(segment);
  }
}

function upperEscapes(segment: string): string {
  return segment.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

function bad(message: string, options?: ErrorOptions): PolicyError {
  return new PolicyError("invalidPath", message, options);
}
