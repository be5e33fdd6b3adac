/** In which order a server works off what one connection asks. */
export type Schedule =
  /** One at a time, in wire order, each answered before the next is looked at. */
  | { readonly kind: "sequential" }
  | {
      readonly kind: "concurrent";
      /** Most ordinary calls at work at once. */
      readonly limit: number;
      /** Calls with the same key keep their order; `undefined` means no order. Params are unchecked. */
      readonly keyOf?: (method: string, params: unknown) => string | undefined;
      readonly control?: ControlLane;
    };

/** Methods that must get through while every ordinary slot is taken. They have no key. */
export interface ControlLane {
  readonly methods: ReadonlySet<string>;
  readonly limit: number;
}

/** The order every connection starts with. */
export const SEQUENTIAL: Schedule = { kind: "sequential" };

/** Throws unless each limit lets at least one call through. */
export function checkSchedule(schedule: Schedule): void {
  if (schedule.kind === "sequential") return;
  for (const limit of [schedule.limit, schedule.control?.limit ?? 1]) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new Error(`Cannot schedule calls: the limit is ${limit}, expected an integer from 1`);
    }
  }
}
