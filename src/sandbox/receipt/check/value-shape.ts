/**
 * The shape of a JSON value as data, and where a value departs from it.
 *
 * A receipt is made in processes that live for milliseconds, where loading a
 * schema library costs more than all the rest. Readers have the schema; a
 * property test holds the two against each other.
 */

export type ValueShape =
  | { readonly is: "text"; readonly like?: RegExp }
  | { readonly is: "time" }
  | { readonly is: "number"; readonly from: number; readonly whole: boolean }
  | { readonly is: "flag" }
  | { readonly is: "word"; readonly of: readonly (string | number)[] }
  | { readonly is: "json" }
  | { readonly is: "nullOr"; readonly of: ValueShape }
  | { readonly is: "list"; readonly of: ValueShape; readonly atLeast: number }
  | { readonly is: "map"; readonly of: ValueShape }
  | { readonly is: "members"; readonly of: Members }
  /** Members by the word that the member `kind` holds. */
  | { readonly is: "kinds"; readonly of: Readonly<Record<string, Members>> };

export type Members = Readonly<Record<string, ValueShape>>;

/** Where a value is not what it should be; never the value itself, which could be a secret. */
export interface Misfit {
  readonly at: string;
  readonly expected: string;
}

type Of<K extends ValueShape["is"]> = Extract<ValueShape, { is: K }>;
type Finders = {
  readonly [K in ValueShape["is"]]: (
    value: unknown,
    shape: Of<K>,
    at: string,
  ) => Misfit | undefined;
};

/** The first place where `value` departs from `shape`; nothing when it fits. */
export function findMisfit(value: unknown, shape: ValueShape, at = ""): Misfit | undefined {
  const find = FINDERS[shape.is] as (
    value: unknown,
    shape: ValueShape,
    at: string,
  ) => Misfit | undefined;
  return find(value, shape, at);
}

const FINDERS: Finders = {
  text: (value, { like }, at) =>
    unless(typeof value === "string" && (like?.test(value) ?? true), at, "text of its form"),
  time: (value, _, at) => unless(isTime(value), at, "a time in UTC with milliseconds"),
  number: (value, { from, whole }, at) => {
    const fits = whole ? Number.isSafeInteger(value) : Number.isFinite(value);
    return unless(fits && Number(value) >= from, at, `a number from ${from} on`);
  },
  flag: (value, _, at) => unless(typeof value === "boolean", at, "true or false"),
  word: (value, { of }, at) =>
    unless(
      of.some((one) => one === value),
      at,
      of.join(" or "),
    ),
  json: (value, _, at) => unless(isJson(value, MOST_LEVELS), at, "JSON"),
  nullOr: (value, { of }, at) => (value === null ? undefined : findMisfit(value, of, at)),
  list: (value, { of, atLeast }, at) => {
    if (!Array.isArray(value)) return { at, expected: "a list" };
    if (value.length < atLeast) return { at, expected: `at least ${atLeast}` };
    return first(value.keys(), (index) => findMisfit(value[index], of, below(at, index)));
  },
  map: (value, { of }, at) => {
    if (!isPlain(value)) return { at, expected: "an object" };
    return first(Object.keys(value), (name) => findMisfit(value[name], of, below(at, name)));
  },
  members: (value, { of }, at) => {
    if (!isPlain(value)) return { at, expected: "an object" };
    // Names of unknown members are not repeated either.
    const unknown = Object.keys(value).some((name) => !Object.hasOwn(of, name));
    if (unknown) return { at, expected: `only ${Object.keys(of).join(", ")}` };
    return first(Object.entries(of), ([name, shape]) =>
      Object.hasOwn(value, name)
        ? findMisfit(value[name], shape, below(at, name))
        : { at: below(at, name), expected: "a value" },
    );
  },
  kinds: (value, { of }, at) => {
    const kind = isPlain(value) ? String(value.kind) : "";
    const members = Object.hasOwn(of, kind) ? of[kind] : undefined;
    if (members === undefined)
      return { at: below(at, "kind"), expected: Object.keys(of).join(" or ") };
    const tag: ValueShape = { is: "word", of: [kind] };
    return findMisfit(value, { is: "members", of: { kind: tag, ...members } }, at);
  },
};

function first<T>(items: Iterable<T>, find: (item: T) => Misfit | undefined): Misfit | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As deep as any intent goes that came in over a wire. */
const MOST_LEVELS = 128;

function isJson(value: unknown, levels: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (levels === 0) return false;
  if (Array.isArray(value)) return [...value].every((one) => isJson(one, levels - 1));
  return isPlain(value) && Object.values(value).every((one) => isJson(one, levels - 1));
}

/** Without `__proto__`, which a reader that copies it would lose. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.hasOwn(value, "__proto__")) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isTime(value: unknown): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) {
    return false;
  }
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

function unless(fits: boolean, at: string, expected: string): Misfit | undefined {
  return fits ? undefined : { at, expected };
}

function below(at: string, name: string | number): string {
  return at === "" ? String(name) : `${at}.${name}`;
}
