import { namedProfile, type PermissionProfile, readProfileTable } from "../../../policy/index.ts";

/** How messages call the section, and what a profile is called that has no other name. */
const SECTION = "writ";

/**
 * The `writ` section of a skill: a profile in the words of `[permissions.NAME]`.
 *
 * It bounds and never opens, so it adds no roots; whether it lies within what holds is for whoever
 * loads it to ask. Throws a sentence on anything that cannot be meant, also on nothing.
 */
export function parseSkillPolicy(value: unknown, home: string): PermissionProfile {
  const table = readProfileTable(value, SECTION);
  if (table.workspace_roots !== undefined) {
    throw new Error('it has "workspace_roots", expected a section that opens nothing');
  }
  if (table.extends === undefined && table.filesystem === undefined) {
    throw new Error('it opens no file at all, expected "extends" or "filesystem"');
  }
  const { profile } = namedProfile(SECTION, { tables: new Map([[SECTION, table]]), home });
  refuseTurnable(profile);
  return profile;
}

/**
 * A path may be another place by the time that a command starts: a link in a workspace leads wherever a
 * command of an earlier turn let it. What is granted is therefore a symbol, which the turn answers for.
 */
function refuseTurnable(profile: PermissionProfile): void {
  if (profile.type !== "managed" || profile.fileSystem.type !== "restricted") return;
  const isTurnable = profile.fileSystem.entries.some(
    ({ target, access }) =>
      access !== "deny" &&
      (target.type === "path" ||
        (target.type === "workspaceRoots" && target.subpath !== undefined)),
  );
  if (!isTurnable) return;
  throw new Error("it grants something by a path, expected paths to be denied and symbols granted");
}
