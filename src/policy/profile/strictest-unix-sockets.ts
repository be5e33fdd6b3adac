/** Unix sockets compared; apart from their schema, which whoever only compares need not load. */
import type { UnixSockets } from "./unix-sockets.ts";

const OPENNESS: Readonly<Record<UnixSockets, number>> = { none: 0, private: 1, host: 2 };

/** True when `a` lets a command have a socket that `b` does not. */
export function opensMoreSockets(a: UnixSockets, b: UnixSockets): boolean {
  return OPENNESS[a] > OPENNESS[b];
}

/** The word that forbids what either forbids. */
export function strictestUnixSockets(a: UnixSockets, b: UnixSockets): UnixSockets {
  return opensMoreSockets(a, b) ? b : a;
}
