const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/;

/** Why no token is sent to an address: one that travels in the open is everybody's. Nothing where it may be. */
export function openWayTo(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  if (protocol !== "ws:" || LOOPBACK.test(hostname)) return undefined;
  return `Cannot send a token to "${address}": others could read it, expected wss:// or this machine`;
}
