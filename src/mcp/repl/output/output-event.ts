/** What arrives for one session: from its worker, and from the server about it. */

/** `raw` is what reached a descriptor that nobody claims: shown as it is, without a mark. */
export type OutputStream = "stdout" | "stderr" | "raw";

export interface ImageEvent {
  readonly kind: "image";
  readonly mimeType: string;
  readonly data: Uint8Array;
  /** Whether it is a later state of the picture that `source` names. */
  readonly isUpdate: boolean;
  readonly source?: string | undefined;
}

export type OutputEvent =
  | { readonly kind: "text"; readonly stream: OutputStream; readonly bytes: Uint8Array }
  | ImageEvent
  /** What an interpreter or a program asks for input with. */
  | { readonly kind: "prompt"; readonly text: string }
  /** Input as the interpreter took it: in transcripts only, never in a reply. */
  | { readonly kind: "echo"; readonly text: string }
  /** A line of the server: in replies, and beside a transcript, never in one. */
  | { readonly kind: "notice"; readonly text: string }
  /** A line about this reply only: in no record at all. */
  | { readonly kind: "status"; readonly text: string };
