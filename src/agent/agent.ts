/**
 * The port between threads and what works in them.
 *
 * A turn is handed everything it may do when it begins; nothing that changes
 * meanwhile reaches it. It says what happens as events and asks through the port.
 */
import type { ThreadProcess } from "./commands/kept-commands.ts";
import type { ModelChoice, TurnFrame } from "./turn-frame.ts";
import type { TurnEnd, TurnPort } from "./turn-port.ts";
import type { ShellRequest, TurnRequest } from "./turn-request.ts";

export type { ModelChoice, TurnFrame };

/** What works in one thread, and lives as long as the thread is loaded. */
export interface ThreadAgent {
  /** One at a time. Never throws for what a model or a command does. */
  runTurn(request: TurnRequest, port: TurnPort): Promise<TurnEnd>;
  runShell(request: ShellRequest, port: TurnPort): Promise<TurnEnd>;
  /** What goes on in it: what the model left running, and what the user typed. */
  processes(): readonly ThreadProcess[];
  /** Ends one of them for the user, with all it started. False where there is none of this number. */
  endProcess(processId: string): Promise<boolean>;
  /** Ends every process of the thread. */
  close(): Promise<void>;
}

export interface Agent {
  /** Costs nothing: no process and no sandbox before a tool needs one. */
  openThread(thread: string): ThreadAgent;
  close(): Promise<void>;
}
