/** A key that nothing heeds, with the file that has it: shown to the user, never a reason to go on differently. */
export interface UnknownKey {
  /** The path of the file, or `config` for what came with a request. */
  readonly file: string;
  /** From the top of the file, joined by dots. */
  readonly key: string;
}

/** Told of every key that a reader does not know. */
export type NoteKey = (key: string) => void;
