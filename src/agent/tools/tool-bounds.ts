import type { TurnFrame } from "../turn-frame.ts";
import type { ToolContext } from "./tool.ts";

/** What takes tools, or a part of the policy, away while a turn runs. */
export interface ToolBounds {
  /** Looks again at what may have changed since the last call. */
  renew(context: ToolContext): Promise<void>;
  /** Why a tool is not to be used now; undefined where it may be. */
  refusalOf(name: string): string | undefined;
  /** What holds for the next call. */
  frameUnder(frame: TurnFrame): TurnFrame;
}
