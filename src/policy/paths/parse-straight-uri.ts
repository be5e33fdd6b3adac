import { PolicyError } from "../policy-error.ts";
import { type PathUri, parsePathUri } from "./path-uri.ts";

const DOTS = /(?:\/|^file:)(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Reads a URI that grants or denies: `.` and `..` are refused, however they are spelled. By text they lead
 * back to where the name before them lies; the kernel goes back from where that name leads.
 */
export function parseStraightUri(text: string): PathUri {
  const uri = parsePathUri(text);
  if (!DOTS.test(text)) return uri;
  const message = "invalid URI: `.` and `..` are not allowed where access is decided";
  throw new PolicyError("invalidPath", message);
}
