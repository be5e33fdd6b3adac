import type { z } from "zod";
import type { Declaration } from "../../rpc/index.ts";

/** The members that a declaration has for its params; the gate refuses policy members that it lacks. */
export function declaredMembers({ params }: Declaration): ReadonlySet<string> {
  return new Set(shapeOf(params));
}

function shapeOf(schema: z.core.$ZodType): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return Object.keys(def.shape);
  return "innerType" in def ? shapeOf(def.innerType) : [];
}
