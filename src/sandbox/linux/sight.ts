/**
 * What a command finds at a real path, told from the mounts that its sandbox gets.
 *
 * Whoever works on files in place of a command asks here and sees what the
 * command would see: the same plan decides, so the two cannot drift apart.
 */
import type { AbsolutePath } from "../../policy/index.ts";
import type { Mount } from "./mount.ts";

/** What is at a path inside. */
export type Sight =
  /** The host's own file or folder. A fixed one is a mount point: it cannot be removed. */
  | { readonly kind: "open"; readonly access: "read" | "write"; readonly fixed: boolean }
  /** A read-only folder in which only these names exist. */
  | { readonly kind: "listed"; readonly names: readonly string[] }
  /** A folder that leads to something open and shows nothing else. */
  | { readonly kind: "passage" }
  /** It is there, and nothing can be done with it or in it. */
  | { readonly kind: "hidden" }
  /** A link that an otherwise empty root has as well. */
  | { readonly kind: "link" }
  /** Devices and processes of the command itself, which are not those of the host. */
  | { readonly kind: "own" }
  | { readonly kind: "absent" };

interface Node {
  readonly children: Map<string, Node>;
  mount: Mount | undefined;
}

/** Answers for every real path. The mounts are in the order in which they are made. */
export function sightsOf(mounts: readonly Mount[]): (path: AbsolutePath) => Sight {
  const root = createNode();
  for (const mount of mounts) {
    if (mount.op !== "seal") nodeAt(root, placeOf(mount)).mount = mount;
  }
  return (path) => {
    let node: Node | undefined = root;
    let sight = sightAt(node, ABSENT);
    for (const name of namesOf(path)) {
      node = node?.children.get(name);
      sight = sightAt(node, sight);
    }
    return sight;
  };
}

const ABSENT: Sight = { kind: "absent" };

function createNode(): Node {
  return { children: new Map(), mount: undefined };
}

function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const name of namesOf(path)) {
    const child = node.children.get(name) ?? createNode();
    node.children.set(name, child);
    node = child;
  }
  return node;
}

function namesOf(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

function placeOf(mount: Mount): string {
  if ("path" in mount) return mount.path;
  if (mount.op === "emptyRoot") return "/";
  return mount.op === "devices" ? "/dev" : "/proc";
}

function sightAt(node: Node | undefined, above: Sight): Sight {
  return node?.mount === undefined ? inherited(node, above) : mounted(node, node.mount);
}

function mounted({ children }: Node, mount: Mount): Sight {
  switch (mount.op) {
    case "bind":
    case "pin":
      return { kind: "open", access: "write", fixed: true };
    case "bindReadOnly":
      return { kind: "open", access: "read", fixed: true };
    case "emptyRoot":
      return { kind: "listed", names: [...children.keys()] };
    case "hideFolder":
      return { kind: mount.traversable ? "passage" : "hidden" };
    case "passage":
      return { kind: "passage" };
    case "link":
      return { kind: "link" };
    case "devices":
    case "processes":
      return { kind: "own" };
    case "hideFile":
    case "seal":
      return { kind: "hidden" };
  }
}

/** Nothing is mounted here; a node is on the way to something that is. */
function inherited(node: Node | undefined, above: Sight): Sight {
  switch (above.kind) {
    case "open":
      return above.fixed ? { ...above, fixed: false } : above;
    case "listed":
      return node ? { kind: "listed", names: [...node.children.keys()] } : ABSENT;
    case "passage":
      return node ? above : ABSENT;
    case "link":
      return ABSENT;
    default:
      return above;
  }
}
