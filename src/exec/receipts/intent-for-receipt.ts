import { writeExecContext } from "../../policy/index.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import type { RunQuestion } from "./run-receipt.ts";

/** A client chooses how long it is, and all receipts share one store. */
const MOST_INTENT = 1 << 18;

/** What travelled, as it travels; there are no variables in it. */
export function intentForReceipt(intent: SandboxIntent): RunQuestion["intent"] {
  if (intent.kind === "waived") return null;
  const text = JSON.stringify(writeExecContext(intent.context, "carry"));
  if (text.length > MOST_INTENT) return { omitted: `it has ${text.length} characters` };
  return JSON.parse(text);
}
