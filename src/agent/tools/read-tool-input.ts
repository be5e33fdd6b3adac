import type { z } from "zod";
import { JsonError, type JsonLimits, readJson } from "../../rpc/index.ts";

export interface InputToRead<S extends z.ZodType> {
  readonly tool: string;
  readonly schema: S;
  /** As the model wrote it. */
  readonly text: string;
  /** What a call may cost to read, before anything of it is believed. */
  readonly limits: JsonLimits;
}

/** Reads the input of a call, or says in a sentence what is wrong with it. */
export function readToolInput<S extends z.ZodType>({
  tool,
  schema,
  text,
  limits,
}: InputToRead<S>): { readonly input: z.output<S> } | { readonly refusal: string } {
  const cannot = `Cannot call "${tool}"`;
  try {
    const read = schema.safeParse(readJson(text, limits));
    if (read.success) return { input: read.data };
    const [issue] = read.error.issues;
    const at = issue?.path.length ? `"${issue.path.join(".")}"` : "the input";
    return { refusal: `${cannot}: ${at} is not as declared: ${issue?.message ?? "invalid"}` };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { refusal: `${cannot}: ${error.message}` };
  }
}
