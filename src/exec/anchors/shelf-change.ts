/** What becomes of a shelf: first it is emptied, where that is asked for, then files go, then files come. */
export interface ShelfChange {
  readonly isEmptied: boolean;
  /** From the top of the shelf; what is not there is gone already. */
  readonly remove: readonly string[];
  /** Each is replaced as a whole. */
  readonly write: readonly ShelvedFile[];
}

export interface ShelvedFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}
