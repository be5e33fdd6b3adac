/** Any JSON Schema, as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schemas under `keyword` (`properties`, `$defs`), by name; none when it is absent. */
export function schemasUnder(
  schema: JsonSchema,
  keyword: string,
): Readonly<Record<string, JsonSchema>> {
  return (schema[keyword] ?? {}) as Readonly<Record<string, JsonSchema>>;
}
