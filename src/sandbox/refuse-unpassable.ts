import type { LaunchRequest } from "./launch-plan.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Refuses what no process can be given.
 *
 * A NUL ends a string for the kernel, and separates the arguments of a
 * back-end: what stands behind one would be read as something else. Broken
 * Unicode has no bytes: something else would arrive.
 */
export function refuseUnpassable({ command, env }: LaunchRequest): void {
  if (command[0] === "") throw refusal('Cannot start "": it is empty, expected a program');
  if (command.some(hasNul)) {
    throw refusal(`Cannot start ${JSON.stringify(command[0])}: an argument has a NUL character`);
  }
  if (command.some(isBroken)) {
    const what = "an argument has half a character, expected whole Unicode";
    throw refusal(`Cannot start ${JSON.stringify(command[0])}: ${what}`);
  }
  for (const [name, value] of Object.entries(env)) {
    const isWhole = ![name, value].some((text) => hasNul(text) || isBroken(text));
    if (name !== "" && !name.includes("=") && isWhole) continue;
    // Without the value, which may be a secret.
    const what = 'expected a name without "=", whole Unicode and no NUL character';
    throw refusal(`Cannot set the variable ${JSON.stringify(name)}: ${what}`);
  }
}

function hasNul(text: string): boolean {
  return text.includes("\0");
}

function isBroken(text: string): boolean {
  return !text.isWellFormed();
}

function refusal(message: string): SandboxError {
  return new SandboxError("unenforceableRule", message);
}
