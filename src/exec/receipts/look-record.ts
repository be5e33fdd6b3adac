/** Puts a look on record. Without one it leaves no receipt. */
export interface LookRecord {
  /** Names of the caller for the receipt: thread, turn, call. */
  readonly ids: Readonly<Record<string, string>>;
  /** Told the id of the receipt once it is kept, also where the look was refused; never where the executor keeps none. */
  readonly kept: (receiptId: string) => void;
}
