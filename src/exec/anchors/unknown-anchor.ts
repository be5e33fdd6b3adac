import { ExecError } from "../exec-error.ts";
import { nameOfAnchor } from "./name-of-anchor.ts";

/** The refusal of whoever names an anchor that is not open; \`cause\` is what came of trying. */
export function unknownAnchor(anchorId: string, cause?: ExecError): ExecError {
  const receiptId = cause?.receiptId;
  return new ExecError(
    "unknownAnchor",
    `Cannot use anchor "${nameOfAnchor(anchorId)}": it is not open here, expected one that is`,
    { field: "anchor", ...(cause && { cause }), ...(receiptId !== undefined && { receiptId }) },
  );
}
