/** What the offline model makes of a line: words to say, or the call of a tool. */
export type OfflineMove =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly input: string };

const WORDS: Readonly<Record<string, (rest: string) => OfflineMove>> = {
  say: (text) => ({ kind: "say", text }),
  read: (file) => command(`cat -- ${quoted(file)}`),
  write: (rest) => {
    const [file, text] = halves(rest);
    return command(`printf '%s\\n' ${quoted(text)} > ${quoted(file)}`);
  },
  call: (rest) => {
    const [tool, input] = halves(rest);
    const dot = tool.indexOf(".");
    const name = dot < 0 ? tool : `mcp__${tool.slice(0, dot)}__${tool.slice(dot + 1)}`;
    return { kind: "call", name, input: input === "" ? "{}" : input };
  },
  escalate: (cmd) =>
    command(cmd, {
      sandbox_permissions: "require_escalated",
      justification: "The user asked to run this outside the sandbox.",
    }),
  background: (cmd) => command(cmd, { tty: true, yield_time_ms: 250 }),
  type: (rest) => {
    const [session, text] = halves(rest);
    const input = { session_id: Number(session), chars: `${text}\n`, yield_time_ms: 1000 };
    return { kind: "call", name: "write_stdin", input: JSON.stringify(input) };
  },
};

/** Reads a line. One that begins with no word of ours is a command. */
export function parseOfflineLine(line: string): OfflineMove {
  const [word, rest] = halves(line.trim());
  if (rest !== "" && Object.hasOwn(WORDS, word)) return WORDS[word]?.(rest) ?? command(line);
  if (word === "") return { kind: "say", text: "There is nothing to do." };
  return command(line.trim());
}

function command(cmd: string, more: Readonly<Record<string, unknown>> = {}): OfflineMove {
  return { kind: "call", name: "exec_command", input: JSON.stringify({ cmd, ...more }) };
}

/** The first word, and what follows it. */
function halves(text: string): [string, string] {
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  return [word, rest];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
