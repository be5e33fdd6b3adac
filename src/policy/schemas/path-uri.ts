import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { type PathUri as CanonicalUri, parsePathUri } from "../paths/path-uri.ts";

/** A zod schema whose output is the canonical URI. */
export const PathUri = z
  .string()
  .transform(asTransform(parsePathUri))
  .meta({ description: "An absolute path as a `file:` URI." });
export type PathUri = CanonicalUri;
