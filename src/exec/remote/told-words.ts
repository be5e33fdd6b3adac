/** Of a sentence. What is longer would be kept with a thread, and told to its model with every request from then on. */
const MOST_CHARS = 4000;

/** What another machine said is in the way: no more of it than anybody reads. */
export function toldWords(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  return `${text.slice(0, MOST_CHARS).toWellFormed()}… (${text.length} characters)`;
}
