/**
 * What was granted besides the policy of a thread, and what its turn is held to with it.
 *
 * A grant is given to one policy in one place on one machine: it ends when the
 * thread is put under another, also if that is taken back before a turn begins, or
 * when another machine has the name of that one.
 * It is put under the bounds of the host again before every call, since its place
 * may have become another meanwhile, and one that cannot be had any more has ended too.
 */
import type { Executor } from "../../exec/index.ts";
import type { Grant } from "../../policy/index.ts";
import { sandboxName } from "../approvals/approval-rules.ts";
import { ABORTED, orAborted } from "../or-aborted.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import type { GrantScope } from "./permission-question.ts";

export interface NewGrant {
  readonly grant: Grant;
  readonly scope: GrantScope;
  /** What holds with it. */
  readonly profile: TurnFrame["profile"];
  /** The machine that was asked about. */
  readonly machine: Executor;
}

interface HeldGrant {
  readonly grant: Grant;
  /** The policy that it was given to. */
  readonly under: string;
  readonly machine: Executor;
  /** The turn that it ends with; null where it ends with the thread. */
  readonly turn: string | null;
}

interface Begun {
  readonly turn: string;
  /** Without what was granted. */
  readonly bare: TurnFrame;
  frame: TurnFrame;
}

/** Rejects with a sentence where a turn has no machine, or it cannot be reached. */
type MachineOf = (frame: TurnFrame) => Promise<Executor>;

export class ThreadGrants {
  readonly #machineOf: MachineOf;
  #held: readonly HeldGrant[] = [];
  #begun: Begun | undefined;
  /** Sandboxes of this turn with something that was granted for it alone, by name. */
  readonly #passing = new Set<string>();

  constructor(machineOf: MachineOf) {
    this.#machineOf = machineOf;
  }

  /** What a grant of now would be for. Throws a sentence where it cannot be reached. */
  machineOf(frame: TurnFrame): Promise<Executor> {
    return this.#machineOf(frame);
  }

  /** What tools of a turn are given: its frame is that of now, with all that was granted. */
  async begin(context: ToolContext): Promise<ToolContext> {
    const { turn, frame } = context;
    const begun: Begun = { turn, bare: frame, frame };
    if (this.#begun?.turn !== turn) this.#passing.clear();
    // Most threads hold none, and a name takes a while.
    if (this.#held.length > 0) this.#held = stillHeld(this.#held, begun);
    this.#begun = begun;
    await this.renew(context);
    const hasPassing = () => this.#hasPassing;
    return {
      ...context,
      get frame() {
        return begun.frame;
      },
      get isPassing() {
        return hasPassing();
      },
    };
  }

  /** What still stands is what the next call has. */
  async renew(context: ToolContext): Promise<void> {
    const begun = this.#begun;
    if (begun === undefined || this.#held.length === 0) return;
    const standing: HeldGrant[] = [];
    let frame = begun.bare;
    const reached = this.#machineOf(frame).catch(() => undefined);
    const machine = await orAborted(reached, context.port.signal);
    if (machine === ABORTED) {
      // Nobody looked, so nothing has ended; what this turn still does has none of it.
      begun.frame = frame;
      return;
    }
    for (const held of this.#held) {
      if (held.machine !== machine) continue;
      const profile = await profileWith(held.grant, frame, context);
      if (profile === undefined) continue;
      frame = withGrant(frame, held.grant, profile);
      standing.push(held);
    }
    this.#held = standing;
    begun.frame = frame;
    this.#pass(begun);
  }

  /** From the next call on a grant holds, until the turn or the thread ends. */
  hold({ grant, scope, profile, machine }: NewGrant): void {
    const begun = this.#begun;
    if (begun === undefined) throw new Error("There is no turn that a grant could be for");
    const turn = scope === "turn" ? begun.turn : null;
    this.#held = [...this.#held, { grant, under: nameOf(begun.bare), machine, turn }];
    begun.frame = withGrant(begun.frame, grant, profile);
    this.#pass(begun);
  }

  /** What a call is held to, which may be less than was granted: it still has of the grant what is left. */
  passOn(frame: TurnFrame): TurnFrame {
    this.#pass({ frame });
    return frame;
  }

  /** Whether a sandbox has something that was granted for a turn: what runs in it ends with that. */
  isPassing(sandbox: string): boolean {
    return this.#passing.has(sandbox);
  }

  #pass({ frame }: Pick<Begun, "frame">): void {
    if (this.#hasPassing) this.#passing.add(sandboxName(frame));
  }

  get #hasPassing(): boolean {
    return this.#held.some(({ turn }) => turn !== null);
  }
}

function withGrant(frame: TurnFrame, { files }: Grant, profile: TurnFrame["profile"]): TurnFrame {
  return { ...frame, profile, granted: [...frame.granted, ...files.map(({ path }) => path)] };
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

function stillHeld(held: readonly HeldGrant[], { turn, bare }: Begun): readonly HeldGrant[] {
  const under = nameOf(bare);
  return held.filter((one) => one.under === under && (one.turn === null || one.turn === turn));
}

function nameOf(frame: TurnFrame): string {
  return JSON.stringify([sandboxName(frame), frame.era]);
}
