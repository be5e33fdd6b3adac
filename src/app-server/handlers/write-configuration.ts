import type { Config } from "../../config/index.ts";
import { type Ceiling, SANDBOX_MODES } from "../../policy/index.ts";

/** The configuration in force, by the keys of its file. Keys of model providers are never in it. */
export function writeConfiguration({ user, settings }: Config) {
  const { workspaceWrite } = settings;
  return {
    model: settings.model ?? null,
    model_provider: settings.modelProvider ?? null,
    approval_policy: settings.approvalPolicy ?? null,
    sandbox_mode: settings.sandboxMode ?? null,
    sandbox_workspace_write: {
      writable_roots: [...workspaceWrite.writableRoots],
      network_access: workspaceWrite.networkAccess,
      exclude_tmpdir_env_var: workspaceWrite.excludeTmpdirEnvVar,
      exclude_slash_tmp: workspaceWrite.excludeSlashTmp,
    },
    model_reasoning_effort: settings.reasoningEffort ?? null,
    default_permissions: user.defaultPermissions ?? null,
  };
}

/** What the operators allow together. A mode that no client can ask for is left out. */
export function writeRequirements(ceilings: readonly Ceiling[]) {
  const modes = ceilings.flatMap(({ allowedModes }) => (allowedModes ? [allowedModes] : []));
  const lists = ceilings.flatMap(({ allowedProfiles }) =>
    allowedProfiles ? [allowedProfiles] : [],
  );
  const names = new Set(lists.flatMap((list) => Object.keys(list)));
  const isAllowed = (name: string) =>
    lists.every((list) => Object.hasOwn(list, name) && list[name]);
  return {
    allowedSandboxModes:
      modes.length === 0
        ? null
        : SANDBOX_MODES.filter((mode) => modes.every((allowed) => allowed.includes(mode))),
    allowedPermissionProfiles:
      lists.length === 0
        ? null
        : Object.fromEntries([...names].map((name) => [name, isAllowed(name)])),
    defaultPermissions: ceilings.find((one) => one.defaultProfile)?.defaultProfile ?? null,
  };
}
