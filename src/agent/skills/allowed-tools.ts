/**
 * Which of our tools the words of `allowed-tools` open.
 *
 * A name of ours is itself. The names that other agents gave to tools of the
 * same kind open ours; a pattern over the arguments of a tool cannot be kept
 * here and opens nothing.
 */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  Read: ["read_file", "list_dir", "view_image"],
  Grep: ["grep"],
  Glob: ["list_dir"],
  LS: ["list_dir"],
  Write: ["write_file"],
  Edit: ["edit_file", "apply_patch"],
  MultiEdit: ["edit_file", "apply_patch"],
  Bash: ["exec_command", "write_stdin"],
  bash: ["exec_command", "write_stdin"],
  shell: ["exec_command", "write_stdin"],
};

/** Those that are left under some words. */
export function allowedTools(words: readonly string[]): ReadonlySet<string> {
  const exact = words.filter((word) => /^[\w.:-]+$/.test(word));
  return new Set(
    exact.flatMap((word) => [word, ...(Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? []) : [])]),
  );
}
