import type { RpcDialect } from "../dialect.ts";
import { JSON_LIMITS, type JsonLimits } from "../json/json-limits.ts";
import type { Router } from "../router.ts";
import type { FaultLog } from "../to-wire-error.ts";
import type { Transport } from "../transports/transport.ts";
import { INTAKE_LIMITS, type IntakeLimits } from "./intake.ts";
import type { Peer } from "./peer.ts";
import type { Schedule } from "./schedule.ts";

/** What one connection may make this process hold. */
export interface PeerLimits extends IntakeLimits {
  readonly json: JsonLimits;
  /** Most characters that may wait to be sent; past it the reader counts as gone. */
  readonly maxUnsent: number;
  /**
   * Most characters that may wait to be sent while this side reads on, a small amount
   * for each message included. Past it nothing is read, not even answers: only for a
   * side whose own sending never waits for what the other side asks.
   */
  readonly maxUnsentReading: number;
  /** Most calls of this side under way at once; further ones wait their turn. */
  readonly maxCalls: number;
  /**
   * How long calls already accepted may go on after the other side stopped writing
   * but may still read. Then handlers are told to stop; after the same time again
   * nobody is waited for who does not read.
   */
  readonly drainMs: number;
}

export const PEER_LIMITS: PeerLimits = {
  ...INTAKE_LIMITS,
  json: JSON_LIMITS,
  maxUnsent: 256 * 1024 * 1024,
  maxUnsentReading: Number.POSITIVE_INFINITY,
  maxCalls: 4096,
  drainMs: 5_000,
};

export interface PeerOptions<Context> {
  readonly transport: Transport;
  readonly dialect: RpcDialect;
  /** Absent for a side that only asks: every request is then an unknown method. */
  readonly serve?: {
    readonly router: Router<Context>;
    /** Makes what the handlers of this connection share; called once, before anything arrives. */
    readonly context: (peer: Peer) => Context;
  };
  /** Sequential when absent. */
  readonly schedule?: Schedule;
  /** Receives faults whose text must not cross the wire. */
  readonly log: FaultLog;
  readonly limits?: Partial<PeerLimits>;
}
