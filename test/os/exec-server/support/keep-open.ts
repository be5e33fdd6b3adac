import { onTestFailed } from "vitest";
import type { WireClient } from "./wire-client.ts";

/** One connection for many tests, and another once it is over or a test that had it failed. */
export function keepOpen(open: () => Promise<WireClient>): () => Promise<WireClient> {
  let kept: Promise<WireClient> | undefined;
  return async () => {
    kept ??= open();
    const current = kept;
    const forget = () => {
      if (kept === current) kept = undefined;
    };
    onTestFailed(forget);
    const client = await current;
    void client.link.closed.then(forget);
    return client;
  };
}
