/**
 * What the skills that a turn has loaded leave of its tools and of its policy.
 *
 * Each skill can only take something away. One that says nothing about tools, or
 * nothing about the policy, leaves them as they are. It all ends with the turn.
 * What was granted before a skill is part of the policy that it narrows; after one
 * that brought a policy nothing is granted, since a yes would lift what it took.
 */
import {
  type PermissionProfile,
  preserveDenies,
  profileDigest,
  stricterLimits,
} from "../../policy/index.ts";
import type { SkillHead } from "../../session/index.ts";
import { PERMISSION_TOOL } from "../permissions/permission-input.ts";
import { intentOf } from "../sandbox/intent-of.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import { toldFailure } from "../sandbox/told-failure.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { ToolBounds } from "../tools/tool-bounds.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { allowedTools } from "./allowed-tools.ts";
import { LOAD_SKILL } from "./load-skill-input.ts";

interface ToolLimit {
  readonly skill: string;
  readonly tools: ReadonlySet<string>;
}

interface PolicyLimit {
  readonly skill: string;
  readonly profile: PermissionProfile;
  /** The policy of the turn that it was held against, by its digest. */
  readonly against: string;
}

export class SkillBounds implements ToolBounds {
  #limits: readonly ToolLimit[] = [];
  #policy: PolicyLimit | undefined;
  /** The policy of the turn, by its digest, as the latest call found it. */
  #found: string | undefined;

  /** Nothing is taken away any more. */
  clear(): void {
    this.#limits = [];
    this.#policy = undefined;
    this.#found = undefined;
  }

  /** A grant may have ended: then a policy that was found within it is perhaps not any more. */
  async renew({ frame }: Pick<ToolContext, "frame">): Promise<void> {
    this.#found = profileDigest(frame.profile);
  }

  /** To load another skill is refused only then: it would be held against less than the first was. */
  refusalOf(name: string): string | undefined {
    if (this.#isStale) {
      return `what the turn may do has changed since the skill "${this.#policy?.skill}" was loaded, expected the call in another turn`;
    }
    if (name === LOAD_SKILL) return undefined;
    if (name === PERMISSION_TOOL && this.#policy !== undefined) {
      return `the skill "${this.#policy.skill}" that was loaded holds the turn to a policy, and a grant does not lift that, expected the call in a turn without it`;
    }
    const limit = this.#limits.find(({ tools }) => !tools.has(name));
    if (limit === undefined) return undefined;
    const left = [...limit.tools].join(", ") || "none";
    return `the skill "${limit.skill}" that was loaded does not allow it, expected one of those it allows: ${left}`;
  }

  frameUnder(frame: TurnFrame): TurnFrame {
    return this.#policy === undefined ? frame : { ...frame, profile: this.#policy.profile };
  }

  /** Nothing is run then. */
  get #isStale(): boolean {
    return this.#policy !== undefined && this.#found !== this.#policy.against;
  }

  /** Takes what a skill takes away. Throws a sentence where its policy cannot be kept; then nothing changes. */
  async add(head: SkillHead, context: ToolContext, sandbox: ThreadSandbox): Promise<void> {
    const { name: skill, allowedTools: words, policy } = head;
    if (this.#isStale) throw refusal(skill, "what the turn may do has changed meanwhile");
    if (policy !== null) {
      const against = this.#found ?? profileDigest(context.frame.profile);
      const frame = this.frameUnder(context.frame);
      const profile = await narrowed({ skill, policy }, { ...context, frame }, sandbox);
      this.#found = against;
      this.#policy = { skill, profile, against };
    }
    if (words !== null) this.#limits = [...this.#limits, { skill, tools: allowedTools(words) }];
  }
}

interface AskedPolicy {
  readonly skill: string;
  readonly policy: PermissionProfile;
}

/** The narrower of the two, as the machine that enforces it says. Denies of the turn stay. */
async function narrowed(
  { skill, policy }: AskedPolicy,
  { frame, port }: ToolContext,
  sandbox: ThreadSandbox,
): Promise<PermissionProfile> {
  const asked = preserveDenies(frame.profile, policy, { mayDropDenies: false });
  // Without a sandbox there is nothing but limits to be within: whatever has one is narrower.
  if (frame.profile.type === "disabled") {
    const limits = stricterLimits(frame.profile.limits, policy.limits);
    return { ...asked, ...(limits && { limits }) };
  }
  const intent = intentOf({ ...frame, profile: asked });
  const order = await sandbox
    .use(frame, (session) => session.compare(intent, port.signal))
    .catch((cause: unknown) => {
      const why = `its policy cannot be held against that of the turn (${toldFailure(cause).message})`;
      throw refusal(skill, why, { cause });
    });
  if (order === "within") return asked;
  if (order === "around") return frame.profile;
  throw refusal(skill, "its policy allows something that the one of the turn does not");
}

function refusal(skill: string, why: string, options?: ErrorOptions): Error {
  const expected = "expected one that only narrows it";
  return new Error(`Cannot load the skill "${skill}": ${why}, ${expected}`, options);
}
