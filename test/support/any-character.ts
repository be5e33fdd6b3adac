import fc from "fast-check";

/** Halves of a pair are no characters: these numbers stand between those that are. */
const FIRST_HALF = 0xd800;
const HALVES = 0x800;
const MOST = 0x10ffff - HALVES;

/**
 * Any character, as the unit "binary" of fast-check gives them, one as likely as the other.
 *
 * That one makes a table of all of them first, which takes a second in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: MOST }).map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES);
}

function placeOf(value: unknown): number {
  const point = typeof value === "string" ? (value.codePointAt(0) ?? 0) : 0;
  const place = point < FIRST_HALF ? point : point - HALVES;
  if (value !== characterAt(place)) throw new Error("Cannot place a value: it is no character");
  return place;
}
