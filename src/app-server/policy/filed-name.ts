/**
 * The name by which a policy may be on the operator's list of profiles.
 *
 * A name on that list means what the files say it is today. Whoever sends a
 * profile along under such a name, or kept one from an earlier day, has a
 * policy like any other without a name.
 */
import { type Config, chooseProfile } from "../../config/index.ts";
import { profileDigest } from "../../policy/index.ts";
import type { ThreadPolicy } from "./thread-policy.ts";

/** Nothing where the files alone do not make the name stand for the policy. */
export function filedName(
  { profile, origin }: ThreadPolicy,
  config: Config,
  home: string,
): string | undefined {
  if (origin.kind !== "named") return undefined;
  const { id } = origin;
  const today = digestOf(id, config, home);
  return today === profileDigest(profile) && !isInline(id, config) ? id : undefined;
}

function digestOf(id: string, config: Config, home: string): string | undefined {
  try {
    return profileDigest(chooseProfile(config, id, home).profile);
  } catch {
    // A name that stands for nothing is no name.
    return undefined;
  }
}

/** Whether the request has a word on the profile, or on one that it extends. */
function isInline(id: string, { user, project }: Config): boolean {
  const tables = new Map([...user.profiles, ...(project?.profiles ?? [])]);
  for (let name: string | undefined = id; name !== undefined; name = tables.get(name)?.extends) {
    if (user.inline?.has(name) === true) return true;
  }
  return false;
}
