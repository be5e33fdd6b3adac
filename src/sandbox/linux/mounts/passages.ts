/** How hidden folders let through to what is open inside them. */
import { type AbsolutePath, isWithin } from "../../../policy/index.ts";
import { parentOf } from "../../files/parent-of.ts";
import { SandboxError } from "../../sandbox-error.ts";
import type { Mount } from "../mount.ts";

type WithPath = Extract<Mount, { path: AbsolutePath }>;

export function withPath(mount: Mount): WithPath {
  if ("path" in mount) return mount;
  throw new SandboxError("backendFailed", `Cannot order "${mount.op}": it has no path`);
}

/** A hidden folder must let through to what is open inside it. */
export function opened(mount: WithPath, all: readonly WithPath[]): Mount {
  if (mount.op !== "hideFolder") return mount;
  const traversable = all.some(({ path }) => path !== mount.path && isWithin(path, mount.path));
  return { ...mount, traversable };
}

/** The folders inside a hidden one that lead to a mount, as far as they are none themselves. */
export function passagesTo(
  mount: AbsolutePath,
  hidden: readonly { readonly path: AbsolutePath }[],
  isMount: (path: AbsolutePath) => boolean,
): Mount[] {
  const inside = hidden.findLast(({ path }) => path !== mount && isWithin(mount, path));
  if (inside === undefined) return [];
  const passages: Mount[] = [];
  for (let at = parentOf(mount); at !== inside.path; at = parentOf(at)) {
    if (!isMount(at)) passages.unshift({ op: "passage", path: at });
  }
  return passages;
}
