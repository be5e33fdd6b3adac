/**
 * Changes members of a JSON text and leaves the rest as it was written.
 *
 * What is passed on between two programs must not be parsed and printed again:
 * long integers, escapes and the order of members would not survive. The text
 * has been read before, so it is known to be JSON without two equal members.
 */

interface Member {
  readonly name: string;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

/** The text of a member of the object in `text`; nothing where it has none, or is no object. */
export function memberText(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  const found = membersOf(text).find((one) => one.name === name);
  return found && text.slice(found.value, found.end);
}

/** The object with one member replaced in its place, or added at the end. What is no object becomes one. */
export function withMember(text: string | undefined, name: string, value: string): string {
  return changeMember(text ?? "", name, () => value);
}

/** The same, where `change` says the new value, of the old one if there is one; with nothing it changes nothing. */
export function changeMember(
  text: string,
  name: string,
  change: (value: string | undefined) => string | undefined,
): string {
  const members = membersOf(text);
  const found = members.find((one) => one.name === name);
  const old = found && text.slice(found.value, found.end);
  const value = change(old);
  if (value === undefined || value === old) return text;
  if (found) return `${text.slice(0, found.value)}${value}${text.slice(found.end)}`;
  const kept = members.map(({ start, end }) => text.slice(start, end));
  return `{${[...kept, `${JSON.stringify(name)}:${value}`].join(",")}}`;
}

/** The object without the members of these names. */
export function withoutMembers(text: string, names: readonly string[]): string {
  const members = membersOf(text);
  const kept = members.filter(({ name }) => !names.includes(name));
  if (kept.length === members.length) return text;
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(",")}}`;
}

function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let at = afterSpace(text, 0);
  if (text[at] !== "{") return members;
  at = afterSpace(text, at + 1);
  while (text[at] === '"') {
    const colon = endOfString(text, at);
    const name = String(JSON.parse(text.slice(at, colon)));
    const value = afterSpace(text, afterSpace(text, colon) + 1);
    const end = endOfValue(text, value);
    members.push({ name, start: at, value, end });
    at = afterSpace(text, afterSpace(text, end) + 1);
  }
  return members;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === "{" || first === "[") return endOfContainer(text, start);
  const after = /[\s,}\]]/g;
  after.lastIndex = start;
  return after.exec(text)?.index ?? text.length;
}

function endOfContainer(text: string, start: number): number {
  const mark = /["{}[\]]/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '"') mark.lastIndex = endOfString(text, found.index);
    else depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
    if (depth === 0) return found.index + 1;
  }
  return text.length;
}

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
