import type { z } from "zod";

/** The members that an object at a place of a schema may have; none where its shape depends on the value. */
export function knownMembers(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional") return knownMembers(def.innerType, path);
  if (def.type !== "object") return [];
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(def.shape);
  const inner = def.shape[String(key)];
  return inner === undefined ? [] : knownMembers(inner, rest);
}
