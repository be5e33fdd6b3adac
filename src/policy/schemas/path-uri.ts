import { z } from "zod";
import { asTransform } from "../as-transform.ts";
import { parseStraightUri } from "../paths/parse-straight-uri.ts";
import { type PathUri as CanonicalUri, parsePathUri } from "../paths/path-uri.ts";

/** A zod schema whose output is the canonical URI. */
export const PathUri = z
  .string()
  .transform(asTransform(parsePathUri))
  .meta({ description: "An absolute path as a `file:` URI." });
/** The same where it grants or denies. */
export const StraightUri = z
  .string()
  .transform(asTransform(parseStraightUri))
  .meta({ description: "An absolute path as a `file:` URI, without `.` and `..`." });
export type PathUri = CanonicalUri;
