/**
 * What can be typed, as every shell is told it: taken from the commands themselves, so that
 * there is no second list to forget.
 */
import type { Command } from "../command.ts";
import type { Taken } from "./taken.ts";

export interface CompletedOption {
  /** As it is typed, the long form first. */
  readonly spellings: readonly string[];
  /** Nothing where it takes no value. */
  readonly takes: Taken | "anything" | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly string[];
  readonly options: readonly CompletedOption[];
  readonly rest: Command["rest"];
}

const HELP: CompletedOption = { spellings: ["--help"], takes: undefined };

export function completionTable(commands: readonly Command[]): CompletedCommand[] {
  return commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    verbs: command.verbs ?? [],
    options: [...optionsOf(command), HELP],
    rest: command.rest,
  }));
}

function optionsOf({ options, takes }: Command): CompletedOption[] {
  return Object.entries(options).map(([name, { type, short }]) => ({
    spellings: [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
    takes: type === "string" ? (takes?.[name] ?? "anything") : undefined,
  }));
}
