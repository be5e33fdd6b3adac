/** Whatever one thing is changed in a signed request, it is refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecError } from "../../../src/exec/exec-error.ts";
import { campaign } from "../../support/campaign.ts";
import { executor, overTheWire, type Params, START, signed } from "./support/signed-start.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Place = readonly (string | number)[];

/** Every place in a value, its root left out. */
function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...keys].flatMap((key) => {
    const place = [...at, key];
    return [place, ...placesIn((value as Record<string | number, unknown>)[key], place)];
  });
}

interface Change {
  readonly where: number;
  readonly kind: "replace" | "remove" | "insert" | "nudge";
  readonly value: Json;
  readonly name: string;
}

const changes = fc.record<Change>({
  where: fc.nat(),
  kind: fc.constantFrom("replace", "remove", "insert", "nudge"),
  value: fc.jsonValue() as fc.Arbitrary<Json>,
  name: fc.oneof(fc.string(), fc.constantFrom("__proto__", "toJSON", "0", "sandbox")),
});

/** The value with one change at one place. */
function changed(params: Params, { where, kind, value, name }: Change): Params {
  const copy = overTheWire(params);
  const places = placesIn(copy);
  const place = places[where % places.length] ?? [];
  const last = place.at(-1) ?? "";
  const parent = place
    .slice(0, -1)
    .reduce<unknown>((inside, key) => (inside as Params)[key], copy) as Record<string, Json>;
  if (kind === "remove") remove(parent, last);
  else if (kind === "insert") insert(parent, name, value);
  else set(parent, last, kind === "nudge" ? nudged(parent[last] ?? null) : value);
  return copy;
}

function set(parent: object, key: string | number, value: Json): void {
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function remove(parent: object, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

function insert(parent: object, name: string, value: Json): void {
  if (Array.isArray(parent)) parent.push(value);
  else set(parent, name, value);
}

/** The least that can happen to a value. */
function nudged(value: Json): Json {
  if (typeof value === "string") return value === "" ? " " : flippedLast(value);
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return value === null ? false : null;
}

function flippedLast(text: string): string {
  const code = text.charCodeAt(text.length - 1);
  return text.slice(0, -1) + String.fromCharCode(code ^ 1);
}

/** Members in one order, so that two spellings of one value are one text. */
function sorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "absent";
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}:${sorted(one)}`,
  );
  return `{${members.sort().join(",")}}`;
}

const requests = fc.record({
  argv: fc.array(fc.string({ unit: "binary" }), { minLength: 1 }),
  env: fc.dictionary(fc.string(), fc.string()),
  sandbox: fc.jsonValue(),
  more: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
});

describe("a signed request", () => {
  it("is accepted unchanged, and refused after any single change", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(requests, fc.array(changes, { minLength: 1, maxLength: 20 }), (parts, list) => {
        const { more, ...rest } = parts;
        const params = signed(overTheWire({ ...more, ...START, ...rest }) as Params);
        expect(executor().accept(params)).toBeDefined();
        for (const change of list) {
          const other = overTheWire(changed(params, change));
          if (sorted(other) === sorted(params)) continue;
          expect(() => executor().accept(other)).toThrow(ExecError);
        }
      }),
      campaign(2000),
    );
  });

  it("is refused after each of the least changes at each of its places", () => {
    const params = signed();
    const { accept } = executor();
    for (const where of placesIn(params).keys()) {
      for (const kind of ["nudge", "remove"] as const) {
        const other = changed(params, { where, kind, value: null, name: "" });
        expect(() => accept(other), `${kind} ${where}`).toThrow(ExecError);
      }
    }
    expect(accept(params)).toBeDefined();
  });
});
