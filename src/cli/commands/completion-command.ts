import { type Command, UsageError } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** `writ completion`: what a shell has to know of all commands, which are `others` and this one. */
export function completionCommand(others: readonly Command[]): Command {
  const command: Command = {
    name: "completion",
    summary: "Print a script that completes command lines in your shell",
    usage: "completion bash|zsh|fish",
    help: `The script completes commands, options, the values of options, files and
folders. It starts no program. Load it when a shell starts:

  bash   eval "$(writ completion bash)"       in ~/.bashrc
  zsh    eval "$(writ completion zsh)"        in ~/.zshrc, after compinit
  fish   writ completion fish | source        in ~/.config/fish/config.fish

Exit status: 0; 2 on bad input.

example: eval "$(writ completion bash)"
`,
    options: {},
    verbs: SHELLS,
    async run({ positionals: [shell, ...more] }, world) {
      const found = SHELLS.find((one) => one === shell);
      if (found === undefined || more.length > 0) {
        const what =
          shell === undefined
            ? ": no shell was given,"
            : ` for ${JSON.stringify(more[0] ?? shell)}:`;
        throw new UsageError(`Cannot complete${what} expected one of ${SHELLS.join(", ")}`);
      }
      const { completionScript } = await import("../completion/completion-script.ts");
      world.out(completionScript(found, [...others, command]));
      return 0;
    },
  };
  return command;
}
