import { z } from "zod";
import { NoParams } from "../declare/method.ts";

const PLAIN: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "a boolean",
  number: "f64",
  array: "a sequence",
  tuple: "a sequence",
  object: "a map",
  record: "a map",
  map: "a map",
  null: "unit",
  undefined: "unit",
  never: "nothing",
};

const INTEGERS: Readonly<Record<string, string>> = {
  safeint: "i64",
  int32: "i32",
  uint32: "u32",
};

/** Names what a place should hold, as serde does; a schema with an `id` is named by it. */
export function expectedName(
  issue: z.core.$ZodIssueInvalidType,
  schema: z.core.$ZodType | undefined,
): string {
  if (schema && isNoParams(schema)) return "unit";
  if (issue.expected === "object") {
    const id = schema && z.globalRegistry.get(schema as z.ZodType)?.id;
    return id === undefined ? "a map" : `struct ${id}`;
  }
  if (issue.expected === "int") return INTEGERS[String(memberFormat(issue))] ?? "i64";
  if (issue.expected === "number" && schema) return numberName(schema);
  return PLAIN[issue.expected] ?? issue.expected;
}

/** `NoParams` seen without its wrappers, which is how a place is looked up. */
function isNoParams(schema: z.core.$ZodType): boolean {
  return schema === NoParams.unwrap().unwrap();
}

/** An integer schema expects a `number` of a value that is none; its format is in it or in a check. */
function numberName({ _zod: { def } }: z.core.$ZodType): string {
  const formats = [def, ...(def.checks ?? []).map((check) => check._zod.def)].map(memberFormat);
  return formats.flatMap((format) => INTEGERS[String(format)] ?? [])[0] ?? "f64";
}

function memberFormat(issue: object): unknown {
  return "format" in issue ? issue.format : undefined;
}
