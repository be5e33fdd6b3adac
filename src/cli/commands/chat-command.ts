import type { Command } from "../command.ts";
import { MODE_WORDS } from "../policy/policy-takes.ts";

/** `writ chat`: a thread in a terminal, or in a pipe. */
export const chatCommand: Command = {
  name: "chat",
  summary: "Talk to a thread in the terminal; commands run under its policy",
  usage: "chat [options] [--resume [ID]]",
  help: `  --sandbox MODE      read-only, workspace-write or danger-full-access
  --permissions NAME  a named profile: :read-only, :workspace or one of yours
  --policy FILE       a policy as thread/start takes it, as JSON
  --approval WHEN     never, on-request or untrusted
  --model NAME        the model that answers; the built-in one needs no key
  --ephemeral         keep nothing of the thread
  --resume [ID]       go on with a thread: ID, else the last of this folder
  --remote ADDRESS    another app-server: ws://HOST:PORT, unix:///PATH
  --token-file FILE   the token that server asks for

With nothing configured the policy is read-only. In a pipe the chat reads a line
when the one before is done, takes the next line for the answer to a question
(anything but y, a or c is no; so is the end of the input), and uses no colour.
Exit status: 0; 1 when the server cannot be opened, refuses or is lost; 125
when $WRIT_HOME cannot be made; 2 on bad input.

example: writ chat --sandbox workspace-write
`,
  options: {
    sandbox: { type: "string" },
    permissions: { type: "string" },
    policy: { type: "string" },
    approval: { type: "string" },
    model: { type: "string" },
    ephemeral: { type: "boolean" },
    resume: { type: "boolean" },
    remote: { type: "string" },
    "token-file": { type: "string" },
  },
  takes: {
    sandbox: MODE_WORDS,
    policy: "file",
    approval: ["never", "on-request", "untrusted"],
    "token-file": "file",
  },
  async run(input, world) {
    const { runChat } = await import("../chat/run-chat.ts");
    return runChat(input, world, {
      input: process.stdin,
      output: process.stdout,
      signals: (interrupt, end) => {
        process.on("SIGINT", interrupt).on("SIGTERM", end).on("SIGHUP", end);
      },
    });
  },
};
