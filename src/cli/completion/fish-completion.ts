/** The script for fish. */
import type { CompletedCommand, CompletedOption } from "./completion-table.ts";

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion for writ. Put this into config.fish: writ completion fish | source
function __writ_behind
  set -l words (string escape -- (commandline -opc))
  set -l end (contains -i -- -- $words); or return
  set -a words (commandline -ct)
  complete -C (string join ' ' -- $words[(math $end + 1)..-1])
end
complete -c writ -f
${commands.map(commandLine).join("\n")}
${commands.flatMap(linesOf).join("\n")}
`;
}

function commandLine({ name, summary }: CompletedCommand): string {
  return `complete -c writ -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`;
}

/** For a shell: one word, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function linesOf({ name, options, verbs, rest }: CompletedCommand): string[] {
  const start = `complete -c writ -n '__fish_seen_subcommand_from ${name}'`;
  const others = { command: " -a '(__writ_behind)'", file: " -F", folder: FOLDERS };
  return [
    ...options.map((option) => `${start}${spellingsOf(option)}${offer(option)}`),
    ...verbs.map((verb) => `${start} -a ${verb}`),
    ...(rest === undefined ? [] : [`${start}${others[rest]}`]),
  ];
}

const FOLDERS = " -a '(__fish_complete_directories)'";

function spellingsOf({ spellings }: CompletedOption): string {
  return spellings
    .map((one) => (one.startsWith("--") ? ` -l ${one.slice(2)}` : ` -s ${one.slice(1)}`))
    .join("");
}

function offer({ takes }: CompletedOption): string {
  if (takes === undefined) return "";
  if (takes === "anything") return " -x";
  if (takes === "file") return " -r -F";
  return takes === "folder" ? ` -x${FOLDERS}` : ` -x -a '${takes.join(" ")}'`;
}
