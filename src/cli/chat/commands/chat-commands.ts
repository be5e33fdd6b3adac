/** All commands of the chat, and which one a line is. */
import { type ChatCommand, ChatInputError } from "./chat-command.ts";
import { explainCommand } from "./explain-command.ts";
import { policyCommand } from "./policy-command.ts";
import { psCommand } from "./ps-command.ts";
import { receiptsCommand } from "./receipts-command.ts";
import { resumeCommand } from "./resume-command.ts";
import { sessionsCommand } from "./sessions-command.ts";
import { stopCommand } from "./stop-command.ts";

const helpCommand: ChatCommand = {
  name: "help",
  usage: "/help",
  summary: "show this list",
  run: async () => ({ lines: helpLines() }),
};

const quitCommand: ChatCommand = {
  name: "quit",
  usage: "/quit",
  summary: "end the chat; so do ^D, and ^C twice",
  run: async () => ({ lines: [], ends: true }),
};

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  policyCommand,
  explainCommand,
  receiptsCommand,
  psCommand,
  stopCommand,
  sessionsCommand,
  resumeCommand,
  helpCommand,
  quitCommand,
];

/** What a line is: something to say, or a command with what follows it. */
export type ChatLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "command"; readonly command: ChatCommand; readonly argument: string };

/** Whoever types one of them alone wants to leave, and a shell that is gone at once would tell them nothing. */
const ENDING_WORDS: ReadonlySet<string> = new Set(["exit", "quit"]);

/** Reads a line. A path at its beginning is no command of the chat. */
export function parseChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (ENDING_WORDS.has(text)) {
    throw new ChatInputError(`Cannot do "${text}": it is no command of the chat, expected /quit`);
  }
  const [, name, argument = ""] = /^\/([^\s/]*)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name === undefined) return { kind: "say", text };
  const command = CHAT_COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return { kind: "command", command, argument: argument.trim() };
  const known = CHAT_COMMANDS.map((one) => `/${one.name}`).join(", ");
  throw new ChatInputError(`Cannot do "/${name}": there is no such command, expected ${known}`);
}

function helpLines(): string[] {
  const width = Math.max(...CHAT_COMMANDS.map(({ usage }) => usage.length));
  return [
    ...CHAT_COMMANDS.map(({ usage, summary }) => `${usage.padEnd(width)}  ${summary}`),
    "Any other line goes to the model. The built-in one needs no key and knows:",
    "COMMAND, read FILE, write FILE TEXT, list FOLDER, grep WORD, view FILE,",
    "call SERVER.TOOL JSON, skill NAME, background COMMAND, type SESSION TEXT,",
    "ask write PATH, ask read PATH, ask network, say TEXT, and",
    "escalate COMMAND (asks to run it without the sandbox).",
    "^C stops a turn. The first character of a line says who speaks: > you,",
    "< the model, $ a command, | its output, ? a question, - writ.",
  ];
}
