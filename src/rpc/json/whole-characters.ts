/**
 * JSON that `JSON.stringify` wrote, without halves of characters.
 *
 * It escapes surrogates that have no other half and no others. Many readers of JSON refuse the whole
 * text for one of them, so that what was cut in the wrong place would be the end of a conversation.
 */
export function wholeCharacters(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escaped) =>
    escaped.length === 6 ? "\ufffd" : escaped,
  );
}
