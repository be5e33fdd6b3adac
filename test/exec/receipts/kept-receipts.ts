/** Runs to put on record. */

import type { ReceiptStart } from "../../../src/exec/receipts/receipt-store.ts";
import { createReceipt, createReceiptId, type Receipt } from "../../../src/sandbox/index.ts";

/** What is known of a run that begins now. */
export function aStart(more: Partial<ReceiptStart> = {}): ReceiptStart {
  return {
    id: createReceiptId(),
    ids: { thread: "t1" },
    command: ["npm", "test"],
    cwd: "/r",
    intent: { cwd: "file:///r", windowsSandboxLevel: "disabled" },
    profileDigest: "a".repeat(64),
    boundDigest: "b".repeat(64),
    enforced: {
      tier: "namespaces",
      backend: "bubblewrap 0.8.0",
      network: "private",
      unixSockets: "none",
      limits: [{ limit: "wallTimeMs", value: 5, by: "timer" }],
      launchFiles: [],
    },
    waived: null,
    notes: [],
    startedAt: "2026-01-01T00:00:00.000Z",
    ...more,
  };
}

/** The receipt of that run, once it is over. */
export function anEnd(start: ReceiptStart, more: Partial<Receipt> = {}): Receipt {
  return createReceipt({
    ...start,
    outcome: { kind: "exited", code: 0 },
    denials: { looked: true, listed: [], unlisted: 0 },
    leftBehind: { kind: "notLookedFor" },
    endedAt: "2026-01-01T00:00:01.000Z",
    durationMs: 1000,
    ...withoutVersion(more),
  });
}

/** The receipt of a run that never began. */
export function aRefusal(more: Partial<ReceiptStart> = {}): Receipt {
  const unread = { profileDigest: null, boundDigest: null, enforced: null };
  return anEnd(aStart({ ...unread, ...more }), {
    outcome: { kind: "refused", code: "notAllowed", message: "Cannot run" },
  });
}

function withoutVersion({ version: _, ...parts }: Partial<Receipt>) {
  return parts;
}
