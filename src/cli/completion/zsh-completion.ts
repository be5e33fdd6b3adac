/** The script for zsh. */
import type { CompletedCommand, CompletedOption } from "./completion-table.ts";

export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  return `#compdef writ
# zsh completion for writ. Put this into ~/.zshrc: eval "$(writ completion zsh)"
_writ() {
  local -a known=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command known
    return
  fi
  local end=\${words[(i)--]}
  if (( end < CURRENT )); then
    shift $end words
    (( CURRENT -= end ))
    if (( CURRENT == 1 )); then _command_names -e; else _normal; fi
    return
  fi
  local option=$words[CURRENT-1]
  if [[ $words[CURRENT] == --*=* ]]; then
    option=\${words[CURRENT]%%=*}
    compset -P '--*='
  fi
  case "$words[2] $option" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case $words[2] in
${commands.map(commandCase).join("\n")}
    (help) _describe command known ;;
  esac
}
compdef _writ writ
`;
}

/** For a shell: one word, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function valueCases({ name, options }: CompletedCommand): string[] {
  return options.flatMap(({ spellings, takes }) => {
    if (takes === undefined) return [];
    const pattern = spellings.map((spelling) => `"${name} ${spelling}"`).join("|");
    return [`    (${pattern}) ${offer(takes)}return ;;`];
  });
}

function offer(takes: NonNullable<CompletedOption["takes"]>): string {
  if (takes === "anything") return "";
  if (takes === "file") return "_files; ";
  if (takes === "folder") return "_files -/; ";
  return `compadd -- ${takes.join(" ")}; `;
}

function commandCase({ name, options, verbs, rest }: CompletedCommand): string {
  const flags = options.flatMap(({ spellings }) => spellings).join(" ");
  const others = rest === "file" ? "_files" : rest === "folder" ? "_files -/" : ":";
  const first = `(( CURRENT == 3 )) && compadd -- ${verbs.join(" ")} || ${others}`;
  return `    (${name})
      if [[ $words[CURRENT] == -* ]]; then compadd -- ${flags}${rest === "command" ? " --" : ""}
      else ${verbs.length > 0 ? first : others}; fi ;;`;
}
