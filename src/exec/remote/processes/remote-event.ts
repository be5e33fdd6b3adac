import type { z } from "zod";
import type { Receipt } from "../../../sandbox/index.ts";
import type { ProcessEvent } from "../../process-event.ts";
import type { processMethods } from "../../protocol/process-methods.ts";

/** An event as it travels: some servers tell of an exit without saying whether it was a denial. */
export type RemoteEvent =
  | Extract<ProcessEvent, { kind: "output" }>
  | {
      readonly kind: "exited";
      readonly seq: number;
      readonly exit: { readonly exitCode: number; readonly sandboxDenied: boolean | undefined };
    }
  | {
      readonly kind: "closed";
      readonly seq: number;
      readonly receipt: Receipt | undefined;
      /** Why the receipt could not be kept there. */
      readonly unkept?: string | undefined;
    };

/** What `process/read` answers. */
export type ReadAnswer = z.output<typeof processMethods.read.result>;
