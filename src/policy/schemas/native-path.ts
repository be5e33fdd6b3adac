import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { normalizeNativePath } from "../paths/native-path.ts";

/** A zod schema for a native absolute path; its output is folded. */
export const NativePath = z
  .string()
  .transform(asTransform(normalizeNativePath))
  .meta({ description: "An absolute path as its own operating system spells it." });
