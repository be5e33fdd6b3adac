import type { Command } from "../command.ts";
import { bashCompletion } from "./bash-completion.ts";
import { completionTable } from "./completion-table.ts";
import { fishCompletion } from "./fish-completion.ts";
import { zshCompletion } from "./zsh-completion.ts";

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** What a shell runs once when it starts, so that it knows all that can be typed. */
export function completionScript(
  shell: keyof typeof SCRIPTS,
  commands: readonly Command[],
): string {
  return SCRIPTS[shell](completionTable(commands));
}
