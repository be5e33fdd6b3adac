/**
 * What a thread may do that names nothing.
 *
 * A request that chooses comes first, then a project that narrows, then the user's
 * file and the operator's default. Where nobody has said anything, files are read
 * and nothing else: silence is no permission to write.
 */
import type { SandboxMode, SandboxPolicy } from "../policy/index.ts";
import { type ChosenProfile, chooseProfile, projectDefault } from "./choose-profile.ts";
import type { Config } from "./load-config.ts";
import { modePolicy } from "./mode-policy.ts";

export type DefaultChoice =
  | { readonly kind: "profile"; readonly chosen: ChosenProfile }
  | { readonly kind: "policy"; readonly mode: SandboxMode; readonly policy: SandboxPolicy };

/** What holds where neither a policy nor a profile nor a mode is asked for. */
const SILENT = ":read-only";

/** Chooses by the files and the request alone; whether it is allowed is for the ceiling to say. */
export function defaultChoice(config: Config, home: string): DefaultChoice {
  const { user, settings, ceiling, defaultFrom } = config;
  if (defaultFrom === "files") {
    const chosen = projectDefault(config, home, SILENT);
    if (chosen !== undefined) return { kind: "profile", chosen };
  }
  const mode = settings.sandboxMode;
  if (user.defaultPermissions === undefined && mode !== undefined) {
    return { kind: "policy", mode, policy: modePolicy(mode, settings) };
  }
  const id = user.defaultPermissions ?? ceiling?.defaultProfile ?? SILENT;
  return { kind: "profile", chosen: chooseProfile(config, id, home) };
}
