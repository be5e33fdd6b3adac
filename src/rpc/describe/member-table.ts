import { type JsonSchema, schemasUnder } from "./json-schema.ts";
import { typeText } from "./type-text.ts";

/** The members of an object schema as a Markdown table; undefined for anything else. */
export function memberTable(schema: JsonSchema): string | undefined {
  const members = Object.entries(schemasUnder(schema, "properties"));
  if (members.length === 0) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = members.map(([name, member]) =>
    tableRow([
      `\`${name}\``,
      typeText(member),
      required.includes(name) ? "yes" : "no",
      "default" in member ? `\`${JSON.stringify(member.default)}\`` : "",
      typeof member.description === "string" ? member.description : "",
    ]),
  );
  const head = tableRow(["member", "type", "required", "default", "description"]);
  return [head, "|---|---|---|---|---|", ...rows].join("\n");
}

/** One row; a pipe or a line break in a cell would end it. */
export function tableRow(cells: readonly string[]): string {
  const safe = cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " "));
  return `| ${safe.join(" | ")} |`;
}
