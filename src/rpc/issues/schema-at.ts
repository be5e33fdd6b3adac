/**
 * Finds the schema that judged a place in a value.
 *
 * zod's issues name the place but not the schema, and two sentences need it: the
 * members a strict object knows, and the name of the type that was expected.
 */
import type { z } from "zod";

type Def = z.core.$ZodTypes["_zod"]["def"];

/** The schema at `path` of `input`, without its optional, nullable and default wrappers. */
export function schemaAt(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  input: unknown,
): z.core.$ZodType | undefined {
  const bare = unwrap(schema);
  const def = defOf(bare);
  if (def.type === "union")
    return inUnion(def, path, input) ?? (path.length === 0 ? bare : undefined);
  const [key, ...rest] = path;
  if (key === undefined) return bare;
  const child = childOf(def, key);
  return child && schemaAt(child, rest, memberOf(input, key));
}

/** The member names an object schema declares. */
export function membersOf(schema: z.core.$ZodType | undefined): readonly string[] {
  const def = schema && defOf(schema);
  return def?.type === "object" ? Object.keys(def.shape) : [];
}

/** A member or element of a value, or undefined. */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<PropertyKey, unknown>>)[key];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema);
  if ("innerType" in def) return unwrap(def.innerType);
  if (def.type === "lazy") return unwrap(def.getter());
  if (def.type === "pipe") return unwrap(def.in);
  return schema;
}

function childOf(def: Def, key: PropertyKey): z.core.$ZodType | undefined {
  switch (def.type) {
    case "object":
      return Object.hasOwn(def.shape, key) ? def.shape[String(key)] : undefined;
    case "array":
      return def.element;
    case "record":
      return def.valueType;
    case "tuple":
      return def.items[Number(key)] ?? def.rest ?? undefined;
    default:
      return undefined;
  }
}

/** A tagged union by its tag; a plain one by the first option that has the place. */
function inUnion(
  def: Extract<Def, { type: "union" }>,
  path: readonly PropertyKey[],
  input: unknown,
): z.core.$ZodType | undefined {
  const tag = "discriminator" in def ? String(def.discriminator) : undefined;
  const fitting = def.options.filter((option) => tag === undefined || hasTag(option, tag, input));
  if (path.length === 0 && fitting.length !== 1) return undefined;
  for (const option of fitting) {
    const found = schemaAt(option, path, input);
    if (found) return found;
  }
  return undefined;
}

function hasTag(option: z.core.$ZodType, tag: string, input: unknown): boolean {
  const value = memberOf(input, tag);
  return option._zod.propValues?.[tag]?.has(value as z.core.util.Primitive) ?? false;
}

function defOf(schema: z.core.$ZodType): Def {
  return (schema as z.core.$ZodTypes)._zod.def;
}
