import type { LaunchRequest } from "./launch-plan.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Refuses what no process can be given.
 *
 * A NUL ends a string for the kernel, and separates the arguments of a
 * back-end: what stands behind one would be read as something else.
 */
export function refuseUnpassable({ command, env }: LaunchRequest): void {
  if (command[0] === "") throw refusal('Cannot start "": it is empty, expected a program');
  if (command.some(hasNul)) {
    throw refusal(`Cannot start ${JSON.stringify(command[0])}: an argument has a NUL character`);
  }
  for (const [name, value] of Object.entries(env)) {
    if (name !== "" && !name.includes("=") && !hasNul(name) && !hasNul(value)) continue;
    // Without the value, which may be a secret.
    const what = 'expected a name without "=" and no NUL character';
    throw refusal(`Cannot set the variable ${JSON.stringify(name)}: ${what}`);
  }
}

function hasNul(text: string): boolean {
  return text.includes("\0");
}

function refusal(message: string): SandboxError {
  return new SandboxError("unenforceableRule", message);
}
