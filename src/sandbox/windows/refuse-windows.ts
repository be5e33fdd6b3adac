import type { LaunchRequest } from "../launch-plan.ts";
import { SandboxError } from "../sandbox-error.ts";

/**
 * Why nothing runs on Windows. The level that was asked for is named, also
 * `disabled`: it is a way to sandbox less, not the policy's word that there is none.
 */
export function refuseWindows(
  { command }: Pick<LaunchRequest, "command">,
  level: string | undefined,
): SandboxError {
  const asked = level === undefined || level === "" ? "unspecified" : level;
  return new SandboxError(
    "unsupportedHost",
    `Cannot start ${JSON.stringify(command[0])}: there is no sandbox for Windows at the level ${JSON.stringify(asked)}, expected Linux or macOS`,
  );
}
