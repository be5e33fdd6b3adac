/**
 * Shapes of the policy layer in a protocol that carries them as they are.
 *
 * Their own schemas read: they fold paths and fill in defaults. What a protocol
 * carries must not change on the way, so the value passes untouched and only the
 * JSON Schema is taken over, when somebody asks for it.
 */
import { z } from "zod";

type Union = z.ZodDiscriminatedUnion;
type Wire<S extends Union> = z.ZodType<z.input<S>, z.input<S>>;

interface Name {
  readonly id: string;
  readonly description: string;
}

/** A member that is checked by `schema` and sent as it is. Most threads are told the same, which is checked once. */
export function published<S extends Union>(schema: S, name: Name): Wire<S> {
  let known: string | undefined;
  const fits = (value: unknown) => {
    const text = JSON.stringify(value);
    if (text !== undefined && text === known) return true;
    const { success } = schema.safeParse(value);
    if (success) known = text;
    return success;
  };
  const checked = z.unknown().refine(fits, `expected a ${name.id}`);
  return checked.meta(describedBy(schema, name)) as unknown as Wire<S>;
}

/** A member that is described by `schema` and read by whoever has the words for what is wrong with it. */
export function unread(schema: Union, name: Name): z.ZodUnknown {
  return z.unknown().meta(describedBy(schema, name));
}

/** Late: a server that describes itself to nobody does not pay for it when it starts. */
function describedBy(schema: Union, name: Name): Record<string, unknown> {
  return {
    ...name,
    get oneOf() {
      const { $defs = {}, ...own } = z.toJSONSchema(schema, { io: "input" });
      return (inline(own, $defs) as { readonly oneOf: unknown }).oneOf;
    },
  };
}

/** A copy that is complete in itself, without the names of its parts. */
function inline(value: unknown, defs: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((one) => inline(one, defs));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    return inline(defs[value.$ref.replace("#/$defs/", "")], defs);
  }
  const members = Object.entries(value).filter(([key]) => key !== "id");
  return Object.fromEntries(members.map(([key, one]) => [key, inline(one, defs)]));
}
