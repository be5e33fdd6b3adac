import type { AbsolutePath } from "../../policy/index.ts";

/** A folder as the commands of one anchor see it: the host's lies below, what they write lies above. */
export interface Overlay {
  /** The folder of the host, without links, and where it is mounted. */
  readonly path: AbsolutePath;
  /** Where writes land. */
  readonly upper: AbsolutePath;
  /** The kernel's own, beside it. */
  readonly work: AbsolutePath;
}

/** One that is mounted for this process. */
export interface HeldOverlay {
  readonly path: AbsolutePath;
  /** The numbers of its file system, as a list of mounts has them: no other has the same. */
  readonly device: string;
}
