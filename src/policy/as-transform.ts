import { z } from "zod";
import { PolicyError } from "./policy-error.ts";

/** Lets a parser that throws {@link PolicyError} stand in a schema, so that the member gets named. */
export function asTransform<In, Out>(parse: (value: In) => Out) {
  return (value: In, context: z.core.$RefinementCtx<In>): Out => {
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      const { code, message } = error;
      context.issues.push({ code: "custom", message, input: value, params: { code } });
      return z.NEVER;
    }
  };
}
