/** Where lines and answers come from. */
export interface Keyboard {
  /** The next line; nothing when there are no more. Rejects with `ChatInputError` for one that is no text. */
  line(): Promise<string | undefined>;
  /** Lets go of a line that was begun, before a question is shown. Whole ones still wait for `line`. */
  unsay(): Promise<void>;
  /**
   * An answer to a question that was just shown; nothing when there is nobody left to give one, or
   * when `signal` says that it is no longer asked.
   */
  answer(signal: AbortSignal): Promise<string | undefined>;
  /** Hands over what is typed while nothing is asked. A line that is not taken waits for `line`, and so do all after it. */
  heed(typed: (line: string) => boolean): void;
  /** Whether somebody who is not understood can be asked again. */
  readonly asksAgain: boolean;
  /** Whether a line that was read has to be shown, because nobody saw it being typed. */
  readonly echoes: boolean;
  /** Empties a line that is half typed. */
  forget(): void;
  close(): void;
}
