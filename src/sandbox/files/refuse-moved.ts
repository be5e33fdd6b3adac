import { lstatSync, readdirSync } from "node:fs";
import type { LaunchPlan } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";
import { findsAgain } from "./file-facts.ts";
import { unlessGone } from "./unless-gone.ts";

/** What patterns match is not what the plan hides. Nothing has run; a new plan may hide it. */
export class MatchesMoved extends SandboxError {}

/**
 * Throws {@link MatchesMoved} unless patterns find what they found for the plan.
 *
 * To be called when that is watched: before, a command that runs already could move a folder out of the
 * way of the look, or put another one in its place, and this one would read what nothing hides.
 */
export async function refuseMoved({
  found,
  placeholders,
}: Pick<LaunchPlan, "found" | "placeholders">): Promise<void> {
  if (found === undefined) return;
  const made = new Set<string>(placeholders.map(({ path }) => path));
  if (await findsAgain(found, (path) => isMade(path, made))) return;
  throw new MatchesMoved(
    "unprotectablePath",
    `Cannot enforce ${found.globs[0]?.rule}: what it matches changed while the sandbox was built, expected it to stay`,
  );
}

/** A placeholder may match as well. It is one only while nothing but placeholders is in it. */
function isMade(path: string, made: ReadonlySet<string>): boolean {
  if (!made.has(path)) return false;
  const here = unlessGone(() => lstatSync(path));
  if (here === undefined || !here.isDirectory()) return here === undefined || here.size === 0;
  const names = unlessGone(() => readdirSync(path)) ?? [];
  return names.every((name) => isMade(`${path}/${name}`, made));
}
