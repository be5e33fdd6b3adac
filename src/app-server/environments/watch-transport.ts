import type { CloseReason, Transport } from "../../rpc/index.ts";

/** The same transport; `closed` is told, too, when it is over. */
export function watchTransport(
  transport: Transport,
  closed: (reason: CloseReason) => void,
): Transport {
  const { kind, label, maxMessageBytes } = transport;
  return {
    kind,
    label,
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    open: (receiver) =>
      transport.open({
        message: (incoming) => receiver.message(incoming),
        closed: (reason) => {
          closed(reason);
          receiver.closed(reason);
        },
      }),
    send: (text) => transport.send(text),
    ...(transport.confirmed && { confirmed: () => confirmed(transport) }),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: (reason) => transport.close(reason),
  };
}

async function confirmed(transport: Transport): Promise<void> {
  await transport.confirmed?.();
}
