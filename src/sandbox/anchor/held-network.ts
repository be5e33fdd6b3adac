import type { AbsolutePath } from "../../policy/index.ts";

/** A network that some process holds, with nothing in it but a loopback; see `startAnchor`. */
export interface HeldNetwork {
  /** The program that enters it. */
  readonly nsenter: AbsolutePath;
  /** The user namespace that it belongs to, and itself: descriptors of this process, as a child finds them. */
  readonly user: string;
  readonly network: string;
  /** Which one it is, in the words of the kernel. */
  readonly identity: string;
}
