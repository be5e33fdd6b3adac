import { type ChatCommand, ChatInputError, type ChatPlace } from "./chat-command.ts";
import { listProcesses, processLine } from "./ps-command.ts";

/** `/stop`: ends what goes on, without asking the model to. */
export const stopCommand: ChatCommand = {
  name: "stop",
  usage: "/stop [NUMBER]",
  summary: "end one of these, or all",
  async run(argument, place) {
    const running = await listProcesses(place);
    const wanted = running.filter(({ processId }) => argument === "" || processId === argument);
    if (wanted.length > 0) {
      return { isTable: true, lines: await Promise.all(wanted.map((one) => end(one, place))) };
    }
    if (argument === "") return { lines: ["Nothing runs in this thread."] };
    const what = "no process with this number runs, expected one that /ps lists";
    throw new ChatInputError(`Cannot stop "${argument}": ${what}`);
  },
};

type Running = Awaited<ReturnType<typeof listProcesses>>[number];

async function end({ processId, command }: Running, { call, thread }: ChatPlace): Promise<string> {
  const { terminated } = await call.terminal.terminate({ threadId: thread.id, processId });
  return `${terminated ? "ended" : "not ended"}  ${processLine(processId, command)}`;
}
