/** What cannot be shown whole cannot be agreed to. */
const MOST_SHOWN = 64 * 1024;

/** Why a person is not asked about something so long; nothing where it can be shown. `what` begins the sentence. */
export function tooLongToAsk(what: string, { length }: string): string | undefined {
  if (length <= MOST_SHOWN) return undefined;
  return `${what} has ${length} characters, expected at most ${MOST_SHOWN} where a person has to be asked`;
}
