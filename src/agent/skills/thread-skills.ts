/**
 * The skills of one thread: looked for when a turn begins, told to the model by
 * name, loaded when it asks, and let go of when the next turn begins.
 */
import { nativeOfUri } from "../../policy/index.ts";
import {
  catalogueText,
  findSkill,
  loadSkill,
  type Skill,
  type SkillDigests,
  SkillShelf,
  type SkillSource,
} from "../../session/index.ts";
import type { UserInput } from "../items/user-message.ts";
import type { ThreadSandbox } from "../sandbox/thread-sandbox.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { TurnFrame } from "../turn-frame.ts";
import { SkillBounds } from "./skill-bounds.ts";

/** Where the skills of threads come from. */
export interface ThreadSkillsParts {
  /** Undefined where there are none. */
  readonly source: SkillSource | undefined;
  readonly digests: SkillDigests;
}

/** Who asks for a skill; some are for people alone to ask for. */
export type SkillAsker = "model" | "user";

/** The environment that is this machine. */
const LOCAL = "local";
const NONE = "there are none";

export class ThreadSkills {
  readonly bounds = new SkillBounds();
  readonly shelf: SkillShelf;
  readonly #source: SkillSource | undefined;
  readonly #loaded = new Set<string>();
  #found: readonly Skill[] = [];
  #turn: string | undefined;

  constructor({ source, digests }: ThreadSkillsParts) {
    this.#source = source;
    this.shelf = new SkillShelf(digests);
  }

  /**
   * Skills of a project lie in folders of this machine; elsewhere there are those of the user. What
   * was loaded holds on where the same turn goes on with something that was said late.
   */
  async beginTurn(turn: string, { cwd, environment }: TurnFrame): Promise<void> {
    if (turn !== this.#turn) this.#letGo();
    this.#turn = turn;
    const folder = environment === LOCAL ? (nativeOfUri(cwd) ?? null) : null;
    const found = await this.#source?.list(folder);
    this.#found = found?.skills ?? [];
    this.#stock();
  }

  /** What only a person may load is nowhere for a model to read before a person did. */
  #stock(): void {
    this.shelf.use(this.#found.filter(({ name, isManual }) => !isManual || this.#loaded.has(name)));
  }

  #letGo(): void {
    this.bounds.clear();
    this.#loaded.clear();
  }

  /** For the instructions of a model; undefined where there is nothing to tell. */
  get catalogue(): string | undefined {
    return catalogueText(this.#found);
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }

  /** What a model is told of a skill. Throws a sentence where it is not loaded. */
  async load(
    { name, by }: { readonly name: string; readonly by: SkillAsker },
    context: ToolContext,
    sandbox: ThreadSandbox,
  ): Promise<string> {
    const skill = this.#find(name);
    if (this.#loaded.has(skill.name)) {
      return `The skill "${skill.name}" is loaded already; its text is above.`;
    }
    const { head, text } = loadSkill(skill, this.#source?.home ?? "/");
    if (head.isManual && by === "model") {
      throw new Error(
        `Cannot load the skill "${skill.name}": only the user may, expected to be asked`,
      );
    }
    await this.bounds.add(head, context, sandbox);
    this.#loaded.add(skill.name);
    this.#stock();
    return text;
  }

  #find(name: string): Skill {
    const found = findSkill(this.#found, name);
    if (found !== undefined) return found;
    const shown = JSON.stringify(name.trim().slice(0, 128));
    const known = this.#found.filter(({ isManual }) => !isManual).map((one) => one.name);
    const expected = known.length === 0 ? NONE : known.join(", ");
    throw new Error(
      `Cannot load the skill ${shown}: there is none of that name, expected one of: ${expected}`,
    );
  }
}

/** The skills that a person names beside a text. */
export function askedSkills(content: readonly UserInput[]): string[] {
  return content.flatMap((one) => {
    if (one.type !== "other" || one.value.type !== "skill") return [];
    return typeof one.value.name === "string" ? [one.value.name] : [];
  });
}
