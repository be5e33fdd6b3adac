import type { z } from "zod";
import type { CallOptions } from "../declare/handlers.ts";
import type { Method, Notification } from "../declare/method.ts";
import type { CloseReason } from "../transports/transport.ts";
import type { Schedule } from "./schedule.ts";

/** One end of a connection, as the program that owns it sees it. */
export interface Peer {
  /** Settles when the connection ends, whoever ended it. */
  readonly closed: Promise<CloseReason>;
  /** Settles after that, when the last handler is done and the last answer is out or given up. */
  readonly settled: Promise<void>;
  /** A call past the bound of calls under way waits, and what is sent after it waits behind it. */
  call<P extends z.ZodType, R extends z.ZodType>(
    method: Method<P, R>,
    params: z.input<P>,
    options?: CallOptions,
  ): Promise<z.output<R>>;
  /** Await it: it settles when the bytes were accepted, which is how a slow reader slows you. */
  notify<P extends z.ZodType>(notification: Notification<P>, params: z.input<P>): Promise<void>;
  /**
   * The same where the last member is `""` and stands for the base64 of bytes, which are read before this
   * returns. There is nothing to await where they were accepted at once.
   */
  notifyBytes<P extends z.ZodType>(
    notification: Notification<P>,
    params: z.input<P>,
    bytes: Uint8Array,
  ): Promise<void> | undefined;
  /** Changes the order in which calls are worked off, from the calls that wait now. */
  useSchedule(schedule: Schedule): void;
  close(reason?: string): void;
}
