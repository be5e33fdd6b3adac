/** The small operations a file system view is made of, and the one table that turns them into flags. */
import type { AbsolutePath } from "../../policy/index.ts";

export type Mount =
  | { readonly op: "bind" | "bindReadOnly" | "seal"; readonly path: AbsolutePath }
  /** A folder mounted on itself, so that it cannot be renamed away from under a protected path. */
  | { readonly op: "pin"; readonly path: AbsolutePath }
  /** Nothing but what later mounts put there. */
  | { readonly op: "emptyRoot" }
  /** `traversable` when something below is open again. */
  | { readonly op: "hideFolder"; readonly path: AbsolutePath; readonly traversable: boolean }
  | { readonly op: "hideFile"; readonly path: AbsolutePath }
  /** A folder on the way to something open inside a hidden one. */
  | { readonly op: "passage"; readonly path: AbsolutePath }
  | { readonly op: "link"; readonly path: AbsolutePath; readonly target: string }
  | { readonly op: "devices" }
  /** The command's own processes, without what in their folder speaks of the host or changes it. */
  | {
      readonly op: "processes";
      readonly hidden: readonly AbsolutePath[];
      readonly readOnly: readonly AbsolutePath[];
    };

/** The descriptor on which the back-end gets a path of the host. */
export type DescriptorOf = (path: AbsolutePath) => number;

/** The bubblewrap flags of one operation. */
export function mountFlags(mount: Mount, descriptorOf: DescriptorOf): string[] {
  switch (mount.op) {
    case "bind":
    case "pin":
      return bindFlags("bind", mount.path, descriptorOf);
    case "bindReadOnly":
      return bindFlags("ro-bind", mount.path, descriptorOf);
    case "seal":
      return ["--remount-ro", mount.path];
    case "emptyRoot":
      return ["--tmpfs", "/"];
    case "hideFolder":
      return ["--perms", mount.traversable ? "0111" : "0000", "--tmpfs", mount.path];
    case "hideFile":
      // Bind mounts of bubblewrap are "nodev": opening the device through one is refused.
      return ["--ro-bind", "/dev/null", mount.path];
    case "passage":
      return ["--perms", "0111", "--dir", mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
    case "devices":
      return ["--dev", "/dev"];
    case "processes":
      return [
        ...["--proc", "/proc"],
        // A root caller could otherwise change the host through it.
        ...["--ro-bind", "/proc/sys", "/proc/sys"],
        // The reaper has the command's uid: through its memory the command could become it.
        ...["--perms", "0000", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"],
        ...mount.hidden.flatMap((path) => ["--ro-bind", "/dev/null", path]),
        ...mount.readOnly.flatMap((path) => ["--ro-bind", path, path]),
      ];
  }
}

/** By descriptor, so that nobody can put a link in the way; what only the kernel or root can move needs none. */
function bindFlags(how: "bind" | "ro-bind", path: AbsolutePath, of: DescriptorOf): string[] {
  if (path === "/" || path === "/sys") return [`--${how}`, path, path];
  return [`--${how}-fd`, String(of(path)), path];
}
