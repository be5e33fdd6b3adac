import { createHash } from "node:crypto";
import { SKILL_LIMITS } from "../files/list-skill-files.ts";
import { readConfined } from "../files/read-confined.ts";
import type { Skill, SkillFile } from "../skill.ts";

/** A second change within one tick of the clock leaves no trace, so what is young is read each time. */
const YOUNG_MS = 3000;

/** The contents of files of skills, by their digests; one that a look finds unchanged is not read again. */
export class SkillDigests {
  #known = new Map<string, { readonly stamp: string; readonly digest: string }>();

  /** Undefined for a file that cannot be read any more. */
  digestOf(skill: Skill, file: SkillFile): string | undefined {
    const place = `${skill.folder}/${file.path}`;
    const known = this.#known.get(place);
    if (known?.stamp === file.stamp) return known.digest;
    const content = contentOf(skill, file);
    if (content === undefined) return undefined;
    const digest = digestOf(content);
    if (Date.now() - file.changedAt > YOUNG_MS)
      this.#known.set(place, { stamp: file.stamp, digest });
    return digest;
  }

  /** Forgets what is of no skill any more. */
  keepOnly(skills: readonly Skill[]): void {
    const places = skills.flatMap(({ folder, files }) =>
      files.map((one) => `${folder}/${one.path}`),
    );
    if (this.#known.size <= places.length) return;
    const wanted = new Set(places);
    this.#known = new Map([...this.#known].filter(([place]) => wanted.has(place)));
  }
}

export function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The bytes of a file as they are now; undefined where it is gone or no plain file of its folder. */
export function contentOf({ folder }: Skill, { path }: SkillFile): Buffer | undefined {
  try {
    return readConfined({ folder, path, mostBytes: SKILL_LIMITS.fileBytes }) ?? undefined;
  } catch {
    // Whoever asks for it by name hears why; here it is as if it were gone.
    return undefined;
  }
}
