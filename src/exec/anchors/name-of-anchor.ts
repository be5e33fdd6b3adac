/** What a server puts before the name that a client gave: a word of the session that nobody outside knows. */
const TAG = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\//;

/** What an anchor is called in sentences: as whoever opened it called it. */
export function nameOfAnchor(anchorId: string): string {
  return anchorId.replace(TAG, "");
}
