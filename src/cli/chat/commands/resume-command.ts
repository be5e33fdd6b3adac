import { policyWords } from "../view/policy-words.ts";
import { type ChatCommand, ChatInputError, type ChatPlace } from "./chat-command.ts";
import { listThreads } from "./sessions-command.ts";

/** `/resume`: goes on with another thread. */
export const resumeCommand: ChatCommand = {
  name: "resume",
  usage: "/resume [NUMBER|ID]",
  summary: "go on with a thread, the last one by default",
  async run(argument, place) {
    const left = modelWords(place);
    const past = await place.thread.resume(await idOf(argument, place), {});
    const { cwd } = place.thread.settings;
    const model = modelWords(place);
    const what = policyWords(place.thread.settings) + (model === left ? "" : `. Model: ${model}`);
    return { past, lines: [`Thread ${place.thread.id} in ${cwd}: ${what}`] };
  },
};

function modelWords({ thread }: ChatPlace): string {
  return `${thread.settings.modelProvider}/${thread.settings.model}`;
}

async function idOf(argument: string, place: ChatPlace): Promise<string> {
  if (argument === "") {
    const { data } = await listThreads(place);
    const last = data.find(({ id }) => id !== place.thread.id);
    if (last !== undefined) return last.id;
    throw new ChatInputError("Cannot resume: no other thread is kept, expected one");
  }
  if (!/^\d{1,4}$/.test(argument)) return argument;
  const id = place.listed[Number(argument) - 1];
  if (id !== undefined) return id;
  throw new ChatInputError(
    `Cannot resume "${argument}": no such number was listed, expected one of /sessions`,
  );
}
