/**
 * Opens paths so that no link can lead elsewhere.
 *
 * Each component is opened from the folder above it, through `/proc/self/fd`,
 * with O_PATH and O_NOFOLLOW: whoever swaps a folder for a link in between gets
 * an error, not another file. What was opened stays what it is.
 */
import fs from "node:fs";
import type { AbsolutePath } from "../../policy/index.ts";
import { SandboxError } from "../sandbox-error.ts";
import { parentOf } from "./parent-of.ts";

/** A descriptor that names a place and can neither be read nor written; see open(2). */
export const O_PATH = 0o10000000;
const { O_NOFOLLOW, O_DIRECTORY } = fs.constants;

/** Folders that were opened on the way are kept until all is closed. */
export class RealPaths {
  readonly #folders = new Map<AbsolutePath, number>();
  readonly #opened: number[] = [];

  /** A descriptor of the path itself. Throws {@link SandboxError} when a link is on the way. */
  open(path: AbsolutePath): number {
    const fd = this.#step(path, () => fs.openSync(this.entry(path), O_PATH | O_NOFOLLOW));
    this.#opened.push(fd);
    if (fs.fstatSync(fd).isSymbolicLink()) throw swapped(path);
    return fd;
  }

  /** A name for the path that goes through its opened folder; for calls that make or remove it. */
  entry(path: AbsolutePath): string {
    if (path === "/") return "/";
    const folder = this.#folder(parentOf(path));
    return `/proc/self/fd/${folder}/${path.slice(path.lastIndexOf("/") + 1)}`;
  }

  close(): void {
    for (const fd of [...this.#folders.values(), ...this.#opened.splice(0)]) fs.closeSync(fd);
    this.#folders.clear();
  }

  #folder(path: AbsolutePath): number {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const flags = O_PATH | O_NOFOLLOW | O_DIRECTORY;
    const fd = this.#step(path, () => fs.openSync(this.entry(path), flags));
    this.#folders.set(path, fd);
    return fd;
  }

  #step(path: AbsolutePath, open: () => number): number {
    try {
      return open();
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      throw swapped(path, cause);
    }
  }
}

function swapped(path: AbsolutePath, cause?: unknown): SandboxError {
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
  return new SandboxError(
    "unprotectablePath",
    `Cannot open "${path}": it is not what it was when the sandbox was planned${code}, expected the same file or folder`,
    { cause },
  );
}
