import path from "node:path";
import { type PolicyMembers, readPolicyAsk } from "../policy/policy-ask.ts";
import { type AskedSettings, changedSettings, environmentsOf } from "../threads/begin-settings.ts";
import { movedElsewhere } from "../threads/frame-of.ts";
import type { LoadedThread } from "../threads/loaded-thread.ts";
import type { SettingsChange } from "../threads/thread-state.ts";
import type { AppParts } from "./app-parts.ts";
import { folderOf } from "./folder-of.ts";
import { refuseEnvironments } from "./refuse-environments.ts";

export interface Change extends PolicyMembers, AskedSettings {
  readonly cwd?: string | null | undefined;
  readonly runtimeWorkspaceRoots?: readonly string[] | null | undefined;
}

/**
 * What the next turn of a thread is to begin with. Nothing has changed yet. A change of nothing
 * still holds the thread against the ceiling of now.
 */
export async function chooseChange(
  { chooser, hasEnvironment }: Pick<AppParts, "chooser" | "hasEnvironment">,
  { current, settings, overrides }: LoadedThread,
  change: Change,
): Promise<SettingsChange> {
  refuseEnvironments(change, hasEnvironment);
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
  return { settings: changedSettings(change, chosen, settings), chosen };
}
