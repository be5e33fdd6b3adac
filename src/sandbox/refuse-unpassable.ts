import type { LaunchRequest } from "./launch-plan.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Refuses what no process can be given.
 *
 * A NUL ends a string for the kernel, and separates the arguments of a
 * back-end: what stands behind one would be read as something else. Broken
 * Unicode has no bytes: something else would arrive. One string has a limit of
 * its own, see execve(2); the kernel would name the launcher for it.
 */
export function refuseUnpassable({ command, env }: LaunchRequest): void {
  const what = faultOfCommand(command);
  if (what !== undefined) {
    throw refusal("command", `Cannot start ${JSON.stringify(shortened(command[0]))}: ${what}`);
  }
  for (const [name, value] of Object.entries(env)) refuseVariable(name, value);
}

function faultOfCommand(command: LaunchRequest["command"]): string | undefined {
  if (command[0] === "") return "it is empty, expected a program";
  if (command.some(hasNul)) return "an argument has a NUL character";
  if (command.some(isBroken)) return "an argument has half a character, expected whole Unicode";
  const long = command.find(isTooLong);
  if (long === undefined) return undefined;
  return `an argument has ${Buffer.byteLength(long)} bytes, expected at most ${MOST_BYTES}`;
}

/** Says nothing of the value, which may be a secret. */
function refuseVariable(name: string, value: string): void {
  const shown = `Cannot set the variable ${JSON.stringify(shortened(name))}`;
  if (isTooLong(`${name}=${value}`)) {
    throw refusal("env", `${shown}: it is too long, expected at most ${MOST_BYTES} bytes`);
  }
  const isWhole = ![name, value].some((text) => hasNul(text) || isBroken(text));
  if (name !== "" && !name.includes("=") && isWhole) return;
  const expected = 'expected a name without "=", whole Unicode and no NUL character';
  throw refusal("env", `${shown}: ${expected}`);
}

/** MAX_ARG_STRLEN without the NUL behind it. */
const MOST_BYTES = 131_071;
const SHOWN_CHARS = 100;

function isTooLong(text: string): boolean {
  // Three bytes a unit of UTF-16 at the most.
  return text.length * 3 > MOST_BYTES && Buffer.byteLength(text) > MOST_BYTES;
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS).toWellFormed()}…` : text;
}

function hasNul(text: string): boolean {
  return text.includes("\0");
}

function isBroken(text: string): boolean {
  return !text.isWellFormed();
}

function refusal(member: "command" | "env", message: string): SandboxError {
  return new SandboxError("unenforceableRule", message, { member });
}
