import type { Command } from "../command.ts";
import { nearestName } from "./nearest-name.ts";

/** What is wrong with an option, in our words, of what the parser of the platform throws. */
export function optionProblem(cause: unknown, { options }: Command): string {
  if (!(cause instanceof Error)) return String(cause);
  const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(cause.message)?.[1];
  if (option === undefined) return cause.message;
  switch ("code" in cause ? cause.code : undefined) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `Cannot use "${option}": there is no such option${meant(option, Object.keys(options))}`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return valueProblem(option, cause.message);
    default:
      return cause.message;
  }
}

function meant(option: string, names: readonly string[]): string {
  const near = nearestName(option.replace(/^-+/, ""), [...names, "help"]);
  return near === undefined ? "" : `. Did you mean --${near}?`;
}

function valueProblem(option: string, message: string): string {
  if (message.includes("does not take")) {
    return `Cannot use "${option}" with a value: expected the option alone`;
  }
  const joined = `${option}${option.startsWith("--") ? "=" : ""}VALUE`;
  return message.includes("ambiguous")
    ? `Cannot use "${option}": what follows begins with a dash, expected a value. Write ${joined} if it is one`
    : `Cannot use "${option}": nothing follows, expected a value`;
}
