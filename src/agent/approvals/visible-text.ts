/** What a person reads before they say yes must be what is there: nothing moves the cursor, hides or reorders. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{DI}\u2800]|(?! )\p{Zs}/gu;
const PLAIN = new Set(["\n", "\t"]);

/** A text with everything that does not show written out. Lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (one) => (PLAIN.has(one) ? one : writtenOut(one)));
}

/** The same for what stands in a sentence of ours: what a stranger wrote begins no line that looks like another. */
export function visibleLine(text: string): string {
  return text.replace(HIDDEN, writtenOut);
}

function writtenOut(one: string): string {
  return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
}
