/**
 * Where native code of other packages is loaded from: two folders, and no others.
 *
 * Such code runs in this process, outside every sandbox, so no command may bring it. Node looks in every
 * folder above a package, and in some of the user's; a command may write to one of those, today or with a
 * wider policy. What lies in these two is read-only for every command, whether it is there or not.
 */
import fs from "node:fs";
import path from "node:path";
import { PACKAGE_ROOT } from "../package-root.ts";

/**
 * Of this package itself, and the one that it lies in. In a store (pnpm and others) the latter holds links, which
 * cannot be protected as folders can: one that a command has put in place of a link looks like any other.
 */
export function nativeFolders(root: string = PACKAGE_ROOT): string[] {
  const own = path.join(root, "node_modules");
  const around = path.dirname(path.resolve(root));
  const isBeside = path.basename(around) === "node_modules" && !STORE.test(around);
  return isBeside ? [own, around] : [own];
}

const STORE = /\/node_modules\/\.[^/]+\//;

/** The folder that has all of these, each by its own name. Nothing where the first one that has some does not. */
export function findNative(parts: readonly string[], root?: string): string | undefined {
  const isThere = (folder: string) => parts.some((part) => fs.existsSync(path.join(folder, part)));
  const folder = nativeFolders(root).find(isThere);
  if (folder === undefined) return undefined;
  return parts.every((part) => isItself(path.join(folder, part))) ? folder : undefined;
}

function isItself(place: string): boolean {
  try {
    return fs.realpathSync(place) === place;
  } catch {
    return false;
  }
}
