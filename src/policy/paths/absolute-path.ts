import { PolicyError } from "../policy-error.ts";
import { foldSegments } from "./fold-segments.ts";
import { refuseLongPath } from "./native-path.ts";

declare const absolute: unique symbol;

/** A folded POSIX path of the host that enforces: what a bound profile is made of. */
export type AbsolutePath = string & { readonly [absolute]: true };

/** Reads a path of this host. Throws on a relative path, a NUL byte or text that is not Unicode. */
export function parseAbsolutePath(text: string): AbsolutePath {
  // As where HOME is not set, in a program without types.
  if (typeof text !== "string") throw notAbsolute(text, "it is no text");
  if (!text.startsWith("/")) throw notAbsolute(text, "it is relative");
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new PolicyError(
      "invalidPath",
      `Cannot use path ${JSON.stringify(text)}: it holds bytes no path has, expected one without NUL and half characters`,
    );
  }
  refuseLongPath(text);
  // Most are folded already: this is asked for every path of every plan.
  if (!UNFOLDED.test(text)) return text as AbsolutePath;
  return `/${foldSegments(text.split("/")).join("/")}` as AbsolutePath;
}

function notAbsolute(text: unknown, why: string): PolicyError {
  return new PolicyError(
    "invalidPath",
    `Cannot use path "${text}": ${why}, expected an absolute path`,
  );
}

/** An empty segment, `.` or `..`. */
const UNFOLDED = /\/\.{0,2}(?:\/|$)/;

/** True when `path` is `ancestor` or lies below it, by whole components. */
export function isWithin(path: AbsolutePath, ancestor: AbsolutePath): boolean {
  if (ancestor === "/" || path === ancestor) return true;
  return path.startsWith(ancestor) && path.charCodeAt(ancestor.length) === SLASH;
}

/** The components of a path; none for `/`. */
export function namesOf(path: AbsolutePath): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

/** Appends a relative path that {@link parseSubpath} has accepted. */
export function joinSubpath(root: AbsolutePath, subpath: string | undefined): AbsolutePath {
  if (subpath === undefined) return root;
  return (root === "/" ? `/${subpath}` : `${root}/${subpath}`) as AbsolutePath;
}

const SLASH = 0x2f;
