/** What an option has to be, and how that is said. */
export interface Option {
  readonly takes: (value: unknown) => boolean;
  readonly expected: string;
}

/**
 * Refuses what a compiler would have refused, for programs without one. An option that is not known may
 * be a restriction, or one that is spelt otherwise.
 */
export function refuseMisuse(
  doing: string,
  given: unknown,
  options: Readonly<Record<string, Option>>,
): void {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`Cannot ${doing}: its options are ${shown(given)}, expected an object`);
  }
  const values = new Map<string, unknown>(Object.entries(given));
  for (const [name, value] of values) {
    if (value === undefined || Object.hasOwn(options, name)) continue;
    const known = Object.keys(options).join(", ");
    throw new TypeError(`Cannot ${doing}: there is no option "${name}", expected ${known}`);
  }
  for (const [name, { takes, expected }] of Object.entries(options)) {
    const value = values.get(name);
    if (takes(value)) continue;
    throw new TypeError(`Cannot ${doing}: "${name}" is ${shown(value)}, expected ${expected}`);
  }
}

/** Also what JSON has no word for. Not what is in an object, which may be a secret. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
