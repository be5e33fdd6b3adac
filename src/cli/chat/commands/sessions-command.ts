import { type ChatCommand, ChatInputError, type ChatPlace } from "./chat-command.ts";

const MOST_LISTED = 20;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `/sessions`: the threads that can be gone on with. */
export const sessionsCommand: ChatCommand = {
  name: "sessions",
  usage: "/sessions",
  summary: "list the threads that are kept, the last used first",
  async run(argument, place) {
    if (argument !== "") throw new ChatInputError(`Cannot use "${argument}": expected nothing`);
    const { data, writ } = await listThreads(place);
    place.listed = data.map(({ id }) => id);
    const lines = data.map(({ id, updatedAt, cwd, name, preview }, index) => {
      const here = id === place.thread.id ? "*" : " ";
      const age = ageText(place.now() / 1000 - updatedAt);
      return `${String(index + 1).padStart(2)}${here} ${age.padStart(4)}  ${cwd}  ${name ?? preview}`;
    });
    const damaged = writ.damaged.map(({ id, reason }) => `damaged: ${id}: ${reason}`);
    if (lines.length + damaged.length === 0) return { lines: ["No thread is kept yet."] };
    return { isTable: true, lines: [...lines, ...damaged, "Go on with one: /resume NUMBER"] };
  },
};

/** The last used first. */
export function listThreads({ call }: Pick<ChatPlace, "call">) {
  return call.thread.list({ limit: MOST_LISTED, sortKey: "updated_at", sortDirection: "desc" });
}

function ageText(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, Math.floor(seconds))}s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h`;
  return `${Math.floor(seconds / DAY)}d`;
}
