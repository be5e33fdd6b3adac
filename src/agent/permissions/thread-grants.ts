/**
 * What was granted besides the policy of a thread, and what its turn is held to with it.
 *
 * A grant is given to one policy in one place: it ends when the thread goes on
 * under another. It is put under the bounds of the host again in every turn, and
 * one that cannot be had any more has ended too.
 */
import type { Grant } from "../../policy/index.ts";
import { sandboxName } from "../approvals/approval-rules.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { GrantScope } from "./permission-question.ts";

export interface NewGrant {
  readonly grant: Grant;
  readonly scope: GrantScope;
  /** What holds with it. */
  readonly profile: TurnFrame["profile"];
}

interface HeldGrant {
  readonly grant: Grant;
  /** The policy that it was given to. */
  readonly under: string;
  /** The turn that it ends with; null where it ends with the thread. */
  readonly turn: string | null;
}

interface Begun {
  readonly turn: string;
  readonly under: string;
  frame: TurnFrame;
}

export class ThreadGrants {
  #held: readonly HeldGrant[] = [];
  #begun: Begun | undefined;
  /** Sandboxes of this turn with something that was granted for it alone, by name. */
  readonly #passing = new Set<string>();
  /** Those of this turn that have nothing of the kind. */
  readonly #lasting = new Set<string>();

  /** What tools of a turn are given: its frame is that of now, with all that was granted. */
  async begin(context: ToolContext): Promise<ToolContext> {
    const { turn, frame } = context;
    const under = nameOf(frame);
    const begun: Begun = { turn, under, frame };
    const standing: HeldGrant[] = [];
    if (this.#begun?.turn !== turn) this.#forget(frame);
    for (const held of this.#held) {
      if (held.under !== under || (held.turn !== null && held.turn !== turn)) continue;
      const profile = await profileWith(held.grant, begun.frame, context);
      if (profile === undefined) continue;
      begun.frame = { ...begun.frame, profile };
      standing.push(held);
    }
    this.#held = standing;
    this.#pass(begun);
    this.#begun = begun;
    return {
      ...context,
      get frame() {
        return begun.frame;
      },
    };
  }

  /** From the next call on a grant holds, until the turn or the thread ends. */
  hold({ grant, scope, profile }: NewGrant): void {
    const begun = this.#begun;
    if (begun === undefined) throw new Error("There is no turn that a grant could be for");
    const turn = scope === "turn" ? begun.turn : null;
    this.#held = [...this.#held, { grant, under: begun.under, turn }];
    begun.frame = { ...begun.frame, profile };
    this.#pass(begun);
  }

  /**
   * Whether a sandbox may have something that was granted for a turn: what runs in it ends with that.
   * One that a skill narrowed has a name of its own, and may have kept what was granted.
   */
  isPassing(sandbox: string): boolean {
    return this.#passing.size > 0 && !this.#lasting.has(sandbox);
  }

  #forget(frame: TurnFrame): void {
    this.#passing.clear();
    this.#lasting.clear();
    this.#lasting.add(sandboxName(frame));
  }

  #pass({ frame }: Begun): void {
    const isPassing = this.#held.some(({ turn }) => turn !== null);
    (isPassing ? this.#passing : this.#lasting).add(sandboxName(frame));
  }
}

async function profileWith(
  grant: Grant,
  frame: TurnFrame,
  { port }: ToolContext,
): Promise<TurnFrame["profile"] | undefined> {
  try {
    return (await port.grant({ frame, asked: grant, given: grant })).profile;
  } catch {
    return undefined;
  }
}

function nameOf(frame: TurnFrame): string {
  return JSON.stringify([sandboxName(frame), frame.environment]);
}
