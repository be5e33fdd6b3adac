/** What is kept of a session's output, decoded and in order. */

export interface TextItem {
  readonly kind: "text";
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** What stands before the text in a reply: nothing, or the mark of stderr. */
  readonly mark: string;
}

export interface ImageItem {
  readonly kind: "image";
  /** One number for all states of one picture, and no other picture of the session has it. */
  readonly plot: number;
  readonly mimeType: string;
  readonly data: Uint8Array;
}

export interface LineItem {
  readonly kind: "echo" | "notice" | "status";
  readonly text: string;
}

/** What was printed here and not kept. */
export interface GapItem {
  readonly kind: "gap";
  readonly chars: number;
  readonly lines: number;
  readonly images: number;
}

export type OutputItem = TextItem | ImageItem | LineItem | GapItem;
