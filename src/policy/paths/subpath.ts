import { PolicyError } from "../policy-error.ts";

declare const relative: unique symbol;

/** A path below a symbolic root: plain names only, so that it can never leave the root. */
export type Subpath = string & { readonly [relative]: true };

/**
 * Reads the `subpath` of a symbolic root; `""` and `"."` mean the root itself.
 *
 * An absolute subpath would replace the root and `..` would leave it, so both are refused:
 * a grant must not be wider than the root it is written under.
 */
export function parseSubpath(text: string): Subpath | undefined {
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (/^[/\\]/.test(text) || /^[A-Za-z]:/.test(segments[0] ?? "")) {
    throw subpathError(text, "it is absolute");
  }
  if (segments.includes("..")) throw subpathError(text, 'it holds ".."');
  if (text.includes("\\")) throw subpathError(text, "it holds a backslash");
  if (text.includes("\0") || !text.isWellFormed()) throw subpathError(text, "it holds NUL");
  return segments.length === 0 ? undefined : (segments.join("/") as Subpath);
}

function subpathError(text: string, what: string): PolicyError {
  return new PolicyError(
    "invalidPath",
    `Cannot use subpath ${JSON.stringify(text)}: ${what}, expected plain names below the root`,
  );
}
