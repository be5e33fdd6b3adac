export type ItemStatus = "inProgress" | "completed" | "failed" | "declined";

/** The call of the model that an item answers, as the model gets it back. */
export interface ModelCall {
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly input: string;
  /** What the model is told; nothing while it runs. */
  readonly output: string | null;
}

/** What the model typed into a process that goes on, or read from it. What was typed, clients hear as `terminalInteraction`, too. */
export interface TerminalWrite {
  readonly type: "terminalWrite";
  readonly id: string;
  /** The item that started the process, perhaps in an earlier turn. */
  readonly launchId: string;
  readonly processId: string;
  readonly status: ItemStatus;
  /** Of the process that was typed into; nothing where that is not known before its end. */
  readonly receiptId: string | null;
  readonly call: ModelCall;
}

/** A call of a tool that there is not, or with an input that it does not take. */
export interface RefusedCall {
  readonly type: "refusedCall";
  readonly id: string;
  readonly call: ModelCall;
}
