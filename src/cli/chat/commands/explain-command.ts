import { type ChatCommand, ChatInputError } from "./chat-command.ts";

/** `/explain`: what a path may be used for, and by which rule. */
export const explainCommand: ChatCommand = {
  name: "explain",
  usage: "/explain PATH",
  summary: "say what PATH may be used for, and by which rule",
  async run(argument, { explain }) {
    if (argument === "") throw new ChatInputError("Cannot explain: no path, expected one");
    const { access, path, rule, reason } = await explain(argument);
    return { lines: [`${access.padEnd(5)}  ${path}`, `       ${rule}: ${reason}`] };
  },
};
