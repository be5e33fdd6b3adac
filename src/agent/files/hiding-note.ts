import { type FileAttempt, ruleNote } from "./denial-sentence.ts";

/**
 * What may hide a file where nothing was found, to be put behind the sentence that says so; empty
 * where no rule does. What a policy does not open looks as if it were not there.
 */
export function hidingNote(attempt: FileAttempt): string {
  const note = ruleNote(attempt);
  return note && `. It may be there all the same, hidden by the policy${note}`;
}
