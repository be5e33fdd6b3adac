import type { JsonSchema } from "./json-schema.ts";

/** A type in a few words for a table cell: `string`, `array of Rule`, `"a" or "b"`, `string or null`. */
export function typeText(schema: JsonSchema): string {
  if (typeof schema.$ref === "string") return referenceText(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  const choices = schema.enum ?? schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map(choiceText).join(" or ");
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((one) => typeText({ ...schema, type: one })).join(" or ");
  if (type === "array") return arrayText(schema);
  if (type === "object") return objectText(schema);
  return typeof type === "string" ? type : "any";
}

function choiceText(choice: unknown): string {
  return isSchema(choice) ? typeText(choice) : JSON.stringify(choice);
}

function arrayText({ items, prefixItems }: JsonSchema): string {
  if (Array.isArray(prefixItems)) {
    return `[${prefixItems.map(choiceText).join(", ")}${isSchema(items) ? `, …${typeText(items)}` : ""}]`;
  }
  return isSchema(items) ? `array of ${typeText(items)}` : "array";
}

function objectText({ properties, additionalProperties }: JsonSchema): string {
  const names = isSchema(properties) ? Object.entries(properties) : [];
  if (names.length > 0) {
    return `{ ${names.map(([name, member]) => `${name}: ${choiceText(member)}`).join("; ")} }`;
  }
  return isSchema(additionalProperties) ? `map of ${typeText(additionalProperties)}` : "object";
}

/** A definition by its name, anything else by what it points at. */
function referenceText(ref: string): string {
  return (ref.split("/").at(-1) ?? ref).replaceAll("~1", "/").replaceAll("~0", "~");
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
