import { createMemoryPair, type Transport } from "../../rpc/index.ts";
import type { ConfineOptions } from "./confine-options.ts";
import { type ConfinedServer, serveConfined } from "./serve-confined.ts";

/** A confined server as a client in this process sees it: a transport, and word of its end. */
export function createConfinedServer(
  options: ConfineOptions,
): Transport & Pick<ConfinedServer, "over"> & { readonly receiptId: null } {
  const [near, far] = createMemoryPair();
  const { over } = serveConfined(far, options);
  return {
    kind: near.kind,
    label: options.argv[0] ?? near.label,
    over,
    // It has one process after the other, and each result names its own.
    receiptId: null,
    open: (receiver) => near.open(receiver),
    send: (text) => near.send(text),
    pause: () => near.pause(),
    resume: () => near.resume(),
    close: (reason) => near.close(reason),
  };
}
