import { writeExecContext } from "../../policy/index.ts";
import type { SandboxIntent } from "../intent/sandbox-intent.ts";
import type { RunQuestion } from "./run-receipt.ts";

/** A client chooses how long it is, and all receipts share one store. */
const MOST_INTENT = 1 << 18;

/** What travelled, as it travels; there are no variables in it. */
export function intentForReceipt(intent: SandboxIntent): RunQuestion["intent"] {
  if (intent.kind === "waived") return null;
  const { context, unturned } = intent;
  return bounded({ ...writeExecContext(context, "carry"), ...(unturned && { unturned }) });
}

/** The same of a `sandbox` that nobody has read, as it came. */
export function unreadForReceipt(sandbox: unknown): RunQuestion["intent"] {
  if (sandbox === undefined || sandbox === null) return null;
  if (typeof sandbox !== "object" || Array.isArray(sandbox)) return { omitted: "it is no object" };
  return bounded(sandbox);
}

function bounded(wire: object): RunQuestion["intent"] {
  const text = JSON.stringify(wire);
  if (text.length > MOST_INTENT) return { omitted: `it has ${text.length} characters` };
  return JSON.parse(text);
}
