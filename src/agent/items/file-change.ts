import type { ItemStatus, ModelCall } from "./model-call.ts";

/** What becomes of one file. */
export interface FileUpdate {
  /** As the machine of the files names it. */
  readonly path: string;
  readonly kind:
    | { readonly type: "add" }
    | { readonly type: "delete" }
    | { readonly type: "update"; readonly movePath: string | null };
  /** All of a file that comes or goes; of one that changes, its hunks. */
  readonly diff: string;
}

/** Files that a model changes, all in one call. */
export interface FileChange {
  readonly type: "fileChange";
  readonly id: string;
  readonly changes: readonly FileUpdate[];
  readonly status: ItemStatus;
  /** Of the command that changed the files, or tried to; nothing where none was run. */
  readonly receiptId: string | null;
  /** Why it was refused, with the rule and what would open it; nothing otherwise. */
  readonly denial: string | null;
  readonly call: ModelCall;
}
