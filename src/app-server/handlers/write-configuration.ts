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

/** What the operator allows. A mode that no client can ask for is left out. */
export function writeRequirements({ allowedModes, allowedProfiles, defaultProfile }: Ceiling) {
  return {
    allowedSandboxModes:
      allowedModes === undefined
        ? null
        : SANDBOX_MODES.filter((mode) => allowedModes.includes(mode)),
    allowedPermissionProfiles: allowedProfiles === undefined ? null : { ...allowedProfiles },
    defaultPermissions: defaultProfile ?? null,
  };
}
