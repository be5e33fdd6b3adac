/** The script for bash; of version 3.2 on, which is what macOS has. */
import type { CompletedCommand, CompletedOption } from "./completion-table.ts";

export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion for writ. Put this into ~/.bashrc: eval "$(writ completion bash)"
_writ_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_writ_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
_writ() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} word at=0
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _writ_words "${commands.map(({ name }) => name).join(" ")} help"
    return
  fi
  for word in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    at=$((at + 1))
    if [ "$word" = -- ]; then
      if [ "$at" -eq $((COMP_CWORD - 2)) ]; then _writ_paths -c; else _writ_paths -f; fi
      return
    fi
  done
  # Bash splits --option=value in three.
  if [ "$cur" = = ]; then cur=
  elif [ "$prev" = = ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case "\${COMP_WORDS[1]} $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${commands.map(commandCase).join("\n")}
    help) _writ_words "${commands.map(({ name }) => name).join(" ")}" ;;
  esac
}
complete -F _writ writ
`;
}

function valueCases({ name, options }: CompletedCommand): string[] {
  return options.flatMap(({ spellings, takes }) => {
    if (takes === undefined) return [];
    const pattern = spellings.map((spelling) => `"${name} ${spelling}"`).join("|");
    return [`    ${pattern}) ${offer(takes)}return ;;`];
  });
}

function offer(takes: NonNullable<CompletedOption["takes"]>): string {
  if (takes === "anything") return "";
  if (takes === "file") return "_writ_paths -f; ";
  if (takes === "folder") return "_writ_paths -d; ";
  return `_writ_words "${takes.join(" ")}"; `;
}

function commandCase({ name, options, verbs, rest }: CompletedCommand): string {
  const flags = options.flatMap(({ spellings }) => spellings).join(" ");
  const others = rest === "file" ? "_writ_paths -f" : rest === "folder" ? "_writ_paths -d" : ":";
  const more = rest === "command" ? " --" : "";
  return `    ${name})
      case $cur in
        -*) _writ_words "${flags}${more}" ;;
        *) if [ "$COMP_CWORD" -eq 2 ] && [ -n "${verbs.join(" ")}" ]; then _writ_words "${verbs.join(" ")}"; else ${others}; fi ;;
      esac ;;`;
}
