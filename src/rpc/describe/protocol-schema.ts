/**
 * A protocol as one JSON Schema document (draft 2020-12).
 *
 * The document describes an object with a member per direction and, in it, one
 * per method, so that a schema has a stable address:
 * `#/properties/toServer/properties/<method>/properties/params`. Types with an
 * `id` are shared in `$defs`.
 */
import { z } from "zod";
import { type Declaration, declarationsOf, type MethodTree } from "../declare/method-tree.ts";
import type { Protocol } from "../declare/protocol.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type Io, SchemaDefs } from "./schema-defs.ts";

const DIRECTIONS = ["toServer", "toClient"] as const;

/** Describes every method of `protocol`. The same protocol always yields the same document. */
export function protocolSchema(protocol: Protocol): JsonSchema {
  const defs = new SchemaDefs();
  const properties = Object.fromEntries(
    DIRECTIONS.map((direction) => [
      direction,
      directionSchema(protocol[direction], direction, defs),
    ]),
  );
  return defs.finish({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: protocol.name,
    description: protocol.summary,
    type: "object",
    properties,
  });
}

function directionSchema(tree: MethodTree, direction: string, defs: SchemaDefs): JsonSchema {
  const methods = declarationsOf(tree).map((declaration) => {
    const at = `#/properties/${direction}/properties/${pointerPart(declaration.name)}`;
    return [declaration.name, methodSchema(declaration, at, defs)] as const;
  });
  return { type: "object", properties: Object.fromEntries(methods) };
}

function methodSchema(declaration: Declaration, at: string, defs: SchemaDefs): JsonSchema {
  const params = schemaOf(declaration.params, { io: "input", at: `${at}/properties/params`, defs });
  const result =
    declaration.kind === "request"
      ? {
          result: schemaOf(declaration.result, {
            io: "output",
            at: `${at}/properties/result`,
            defs,
          }),
        }
      : {};
  const mayBeAbsent = declaration.params.safeParse(undefined).success;
  const required = [...(mayBeAbsent ? [] : ["params"]), ...Object.keys(result)];
  return {
    title: `${declaration.kind} ${declaration.name}`,
    description: declaration.summary,
    ...(declaration.experimental ? { $comment: "experimental" } : {}),
    type: "object",
    properties: { params, ...result },
    required,
  };
}

interface Place {
  readonly io: Io;
  readonly at: string;
  readonly defs: SchemaDefs;
}

function schemaOf(schema: z.ZodType, { io, at, defs }: Place): JsonSchema {
  const { $schema: _, ...own } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    override: ({ zodSchema, jsonSchema }) => {
      // Readers ignore members they do not know; only a strict object says otherwise.
      const { def } = zodSchema._zod;
      if (def.type === "object" && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  return defs.take(own as JsonSchema, { io, at });
}

/** RFC 6901. */
function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
