import { commandLine } from "../view/command-line.ts";
import { type ChatCommand, ChatInputError, type ChatPlace } from "./chat-command.ts";

/** `/ps`: what still runs in this thread after its turn. */
export const psCommand: ChatCommand = {
  name: "ps",
  usage: "/ps",
  summary: "list what still runs in this thread",
  async run(argument, place) {
    if (argument !== "") throw new ChatInputError(`Cannot use "${argument}": expected nothing`);
    const running = await listProcesses(place);
    if (running.length === 0) return { lines: ["Nothing runs in this thread."] };
    const lines = running.map(({ processId, command }) => processLine(processId, command));
    return { isTable: true, lines: [...lines, "End one: /stop NUMBER; all of them: /stop"] };
  },
};

/** The first started first. */
export async function listProcesses({ call, thread }: Pick<ChatPlace, "call" | "thread">) {
  const { data } = await call.terminal.list({ threadId: thread.id });
  return data;
}

/** As it is listed, and as it is told that it was ended. */
export function processLine(processId: string, command: string): string {
  return `${processId.padStart(6)}  ${commandLine(command)}`;
}
