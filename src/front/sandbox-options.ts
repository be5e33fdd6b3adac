import path from "node:path";
import type { Option } from "./refuse-misuse.ts";

const isText = (value: unknown) => typeof value === "string";
const orAbsent = ({ takes, expected }: Option): Option => ({
  takes: (value) => value === undefined || takes(value),
  expected,
});

const isAbsolute = (value: unknown) => typeof value === "string" && path.isAbsolute(value);
const FOLDER: Option = { takes: isAbsolute, expected: "the absolute path of a folder" };

/** Of `openSandbox`. */
export const SANDBOX_OPTIONS: Readonly<Record<string, Option>> = {
  // Whoever reads it says what is wrong with it.
  policy: { takes: () => true, expected: "a policy" },
  workspace: FOLDER,
  home: FOLDER,
  thread: orAbsent({ takes: (value) => isText(value) && value !== "", expected: "a name" }),
  writes: orAbsent({
    takes: (value) => value === "through" || value === "apart",
    expected: '"through" or "apart"',
  }),
};

/** Of `run`. */
export const COMMAND_OPTIONS: Readonly<Record<string, Option>> = {
  cwd: orAbsent({ takes: isText, expected: "the path of a folder" }),
  env: orAbsent({ takes: isEnvironment, expected: "an object whose values are all text" }),
  timeoutMs: orAbsent({
    takes: (value) => typeof value === "number",
    expected: "a number of milliseconds",
  }),
  signal: orAbsent({ takes: isSignal, expected: "an AbortSignal" }),
};

function isEnvironment(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every(isText);
}

/** Not by its class: there may be another one of that name. */
function isSignal(value: unknown): boolean {
  const { aborted, addEventListener, removeEventListener } = Object(value) as Partial<AbortSignal>;
  const listens = [addEventListener, removeEventListener].every((one) => typeof one === "function");
  return typeof aborted === "boolean" && listens;
}
