/**
 * Absolute paths as an operating system spells them.
 *
 * A policy may name paths of another machine, so both spellings are understood
 * everywhere; which one *this* host uses matters only when a profile is bound.
 * Paths are folded lexically (`.`, `..`, doubled and trailing separators) and
 * never looked up on a disk.
 */
import { PolicyError } from "../policy-error.ts";
import { foldSegments } from "./fold-segments.ts";

export type PathConvention = "posix" | "windows";

/** Tells by spelling alone which kind of machine an absolute path belongs to. */
export function conventionOf(text: string): PathConvention | undefined {
  if (text.startsWith("/")) return "posix";
  if (text.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(text)) return "windows";
  return undefined;
}

/** Folds an absolute path of either convention. Throws on anything relative, NUL or not Unicode. */
export function normalizeNativePath(text: string): string {
  const convention = conventionOf(text);
  if (convention === undefined) {
    throw new PolicyError("invalidPath", `path \`${text}\` is not absolute`);
  }
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new PolicyError("invalidPath", `path ${JSON.stringify(text)} holds bytes no path has`);
  }
  refuseLongPath(text);
  return convention === "posix" ? `/${foldSegments(text.split("/")).join("/")}` : foldWindows(text);
}

/** No system opens a longer path, so a longer one only costs those who compare it. */
export function refuseLongPath(text: string): void {
  if (text.length <= MAX_PATH) return;
  throw new PolicyError(
    "invalidPath",
    `Cannot use path "${text.slice(0, 40)}…": it has ${text.length} characters, expected at most ${MAX_PATH}`,
  );
}

const MAX_PATH = 4096;

function foldWindows(text: string): string {
  const plain = text
    .replaceAll("/", "\\")
    .replace(/^\\\\\?\\UNC\\/i, "\\\\")
    .replace(/^\\\\[?.]\\(?=[A-Za-z]:\\)/, "");
  const drive = /^[A-Za-z]:/.exec(plain)?.[0];
  if (drive !== undefined) {
    return `${drive.toUpperCase()}\\${foldSegments(plain.slice(2).split("\\")).join("\\")}`;
  }
  const [server = "", share = "", ...rest] = plain.slice(2).split("\\");
  return `\\\\${[server, share, ...foldSegments(rest)].join("\\")}`;
}
