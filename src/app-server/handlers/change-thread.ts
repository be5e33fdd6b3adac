import path from "node:path";
import { type PolicyMembers, readPolicyAsk } from "../policy/policy-ask.ts";
import { type AskedSettings, changedSettings, environmentsOf } from "../threads/begin-settings.ts";
import { movedElsewhere } from "../threads/frame-of.ts";
import type { LoadedThread } from "../threads/loaded-thread.ts";
import type { AppParts } from "./app-parts.ts";
import { folderOf } from "./folder-of.ts";
import { refuseEnvironments } from "./refuse-environments.ts";

export interface Change extends PolicyMembers, AskedSettings {
  readonly cwd?: string | null | undefined;
  readonly runtimeWorkspaceRoots?: readonly string[] | null | undefined;
}

/**
 * Changes what the next turn of a thread begins with, all of it or nothing. A change of nothing
 * still holds the thread against the ceiling of now.
 */
export async function changeThread(
  { chooser, hasEnvironment }: Pick<AppParts, "chooser" | "hasEnvironment">,
  thread: LoadedThread,
  change: Change,
): Promise<void> {
  refuseEnvironments(change, hasEnvironment);
  const { current, settings, overrides } = thread;
  const cwd = folderOf(change, settings.cwd);
  const { environments } = settings;
  const chosen = await chooser.override(
    {
      ask: readPolicyAsk(change),
      cwd,
      elsewhere: movedElsewhere(environments, environmentsOf(change, cwd, settings)),
      roots: change.runtimeWorkspaceRoots?.map((root) => path.resolve(root)) ?? null,
      overrides,
    },
    current,
  );
  thread.change(changedSettings(change, chosen, settings), chosen);
}
