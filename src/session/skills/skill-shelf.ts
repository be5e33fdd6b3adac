/**
 * The skills of one thread, for its session: those that its sandbox is to hold,
 * and their files on the host while there is no sandbox.
 */
import type { FileRequest, ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { Refusal } from "../refusal.ts";
import { SKILL_LIMITS } from "./files/list-skill-files.ts";
import { readConfined } from "./files/read-confined.ts";
import { resolveSkillFile } from "./on-shelf.ts";
import type { Skill } from "./skill.ts";
import { SkillDigests } from "./sync/skill-digests.ts";
import { type SyncReport, syncSkills } from "./sync/sync-skills.ts";

export class SkillShelf {
  readonly #digests: SkillDigests;
  readonly #sent: Parameters<typeof syncSkills>[1]["sent"] = new WeakMap();
  #skills: readonly Skill[] = [];
  #signature = "";
  #version = 0;

  /** Digests may be those of several threads: they are of the host. */
  constructor(digests: SkillDigests = new SkillDigests()) {
    this.#digests = digests;
  }

  get skills(): readonly Skill[] {
    return this.#skills;
  }

  /** Another one whenever a sandbox has to be looked at again; 0 as long as there never was a skill. */
  get version(): number {
    return this.#version;
  }

  /** From now on these are the skills. */
  use(skills: readonly Skill[]): void {
    const signature = signatureOf(skills);
    this.#skills = skills;
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#version += 1;
  }

  /** Brings the shelf of a sandbox up to date. */
  sync(sandbox: ProvidedSandbox, under: FileRequest): Promise<SyncReport> {
    const sent = this.#sent;
    return syncSkills(sandbox, { skills: this.#skills, digests: this.#digests, sent }, under);
  }

  /** A file on the host by its path on the shelf; null where there is none. Throws where it is no plain file of its skill. */
  readOnHost(shelved: string): Buffer | null {
    const found = resolveSkillFile(shelved, this.#skills);
    if (found === undefined) return null;
    const { skill, path } = found;
    try {
      return readConfined({ folder: skill.folder, path, mostBytes: SKILL_LIMITS.fileBytes });
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal("invalidInput", message, { cause });
    }
  }
}

function signatureOf(skills: readonly Skill[]): string {
  return skills
    .map(({ name, folder, files }) =>
      [name, folder, ...files.map((one) => `${one.path} ${one.stamp} ${one.isExecutable}`)].join(
        "\n",
      ),
    )
    .join("\n\n");
}
