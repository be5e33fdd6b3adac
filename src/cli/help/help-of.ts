/** What `--help` prints, for all commands and for one; each on one screen. */
import type { Command } from "../command.ts";

/** The list of commands. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `writ: one sandbox policy for every tool call of an agent's thread

usage: writ COMMAND [options]

${lines.join("\n")}

Run: writ COMMAND --help
example: writ run --sandbox workspace-write -- npm test
`;
}

export function helpOf({ summary, usage, help }: Command): string {
  return `${summary}\n\nusage: writ ${usage}\n\n${help}`;
}
