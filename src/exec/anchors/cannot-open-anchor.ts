import { ExecError } from "../exec-error.ts";
import { nameOfAnchor } from "./name-of-anchor.ts";

/** The refusal of whoever wants an anchor that cannot be had; `what` says why, and what could. */
export function cannotOpenAnchor(anchorId: string, what: string): ExecError {
  const sentence = `Cannot open anchor "${nameOfAnchor(anchorId)}": ${what}`;
  return new ExecError("invalidRequest", sentence, { field: "anchorId" });
}
