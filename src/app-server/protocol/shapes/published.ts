/**
 * Shapes of the policy layer in a protocol that carries them as they are.
 *
 * Their own schemas read: they fold paths and fill in defaults. What a protocol
 * carries must not change on the way, so the value passes untouched and only the
 * JSON Schema is taken over.
 */
import { z } from "zod";

type Wire<S extends z.ZodType> = z.ZodType<z.input<S>, z.input<S>>;
interface Name {
  readonly id: string;
  readonly description: string;
}

/** A member that is checked by `schema` and sent as it is. */
export function published<S extends z.ZodType>(schema: S, name: Name): Wire<S> {
  const fits = (value: unknown) => schema.safeParse(value).success;
  const checked = z.unknown().refine(fits, `expected a ${name.id}`);
  return checked.meta({ ...keywordsOf(schema), ...name }) as unknown as Wire<S>;
}

/** A member that is described by `schema` and read by whoever has the words for what is wrong with it. */
export function unread(schema: z.ZodType, name: Name): z.ZodUnknown {
  return z.unknown().meta({ ...keywordsOf(schema), ...name });
}

type Keywords = Readonly<Record<string, unknown>>;

/** The JSON Schema of what `schema` takes, complete in itself. */
function keywordsOf(schema: z.ZodType): Keywords {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { io: "input" });
  const { id: __, ...keywords } = inline(own, $defs) as Keywords;
  return keywords;
}

function inline(value: unknown, defs: Keywords): unknown {
  if (Array.isArray(value)) return value.map((one) => inline(one, defs));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    return inline(defs[value.$ref.replace("#/$defs/", "")], defs);
  }
  const members = Object.entries(value).filter(([key]) => key !== "id");
  return Object.fromEntries(members.map(([key, one]) => [key, inline(one, defs)]));
}
