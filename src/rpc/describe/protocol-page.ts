/**
 * A protocol as a Markdown page.
 *
 * The page is derived from the JSON Schema document and not from the
 * declarations, so the two cannot disagree.
 */
import { type Declaration, declarationsOf } from "../declare/method-tree.ts";
import type { Protocol } from "../declare/protocol.ts";
import { type JsonSchema, schemasUnder } from "./json-schema.ts";
import { memberTable, tableRow } from "./member-table.ts";
import { protocolSchema } from "./protocol-schema.ts";
import { typeText } from "./type-text.ts";

const DIRECTIONS = [
  ["toServer", "From client to server"],
  ["toClient", "From server to client"],
] as const;

/** Renders `protocol`: an overview, then each method with its members, then the shared types. */
export function protocolPage(protocol: Protocol): string {
  const document = protocolSchema(protocol);
  const sections = DIRECTIONS.flatMap(([direction, title]) => {
    const declarations = declarationsOf(protocol[direction]);
    if (declarations.length === 0) return [];
    const schemas = schemasUnder(
      schemasUnder(document, "properties")[direction] ?? {},
      "properties",
    );
    const methods = declarations.map((one) => methodSection(one, schemas[one.name] ?? {}));
    return [`## ${title}`, overview(declarations), ...methods];
  });
  const page = [`# ${protocol.name}`, protocol.summary, ...sections, ...typesSection(document)];
  return `${page.join("\n\n")}\n`;
}

function overview(declarations: readonly Declaration[]): string {
  const rows = declarations.map(({ name, kind, summary, experimental }) =>
    tableRow([`\`${name}\``, kind, summary, experimental ? "experimental" : ""]),
  );
  return [tableRow(["name", "kind", "summary", "mark"]), "|---|---|---|---|", ...rows].join("\n");
}

function methodSection({ name, summary, experimental }: Declaration, schema: JsonSchema): string {
  const parts = Object.entries(schemasUnder(schema, "properties")).map(([member, described]) =>
    memberSection(member, described),
  );
  const mark = experimental ? ["*Experimental.*"] : [];
  return [`### \`${name}\``, ...mark, `${summary}.`, ...parts].join("\n\n");
}

function memberSection(title: string, schema: JsonSchema): string {
  const table = memberTable(schema);
  return table === undefined ? `**${title}**: ${typeText(schema)}` : `**${title}**\n\n${table}`;
}

function typesSection(document: JsonSchema): string[] {
  const types = Object.entries(schemasUnder(document, "$defs")).map(([name, schema]) => {
    const text = typeof schema.description === "string" ? [schema.description] : [];
    return [`### ${name}`, ...text, memberTable(schema) ?? typeText(schema)].join("\n\n");
  });
  return types.length === 0 ? [] : ["## Types", ...types];
}
