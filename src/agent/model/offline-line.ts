/** What the offline model makes of a line: words to say, or the call of a tool. */
export type OfflineMove =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly input: string };

/** One word to search for; with more it is the command of that name. */
const PLAIN_WORDS = /^[^\s-]\S*$/;

const WORDS: Readonly<Record<string, (rest: string) => OfflineMove>> = {
  say: (text) => ({ kind: "say", text }),
  read: (path) => tool("read_file", { path }),
  write: (rest) => {
    const [path, text] = halves(rest);
    return tool("write_file", { path, content: `${text}\n` });
  },
  list: (path) => tool("list_dir", { path }),
  grep: (rest) =>
    PLAIN_WORDS.test(rest) ? tool("grep", { pattern: rest }) : command(`grep ${rest}`),
  skill: (name) => tool("load_skill", { name }),
  view: (path) => tool("view_image", { path }),
  call: (rest) => {
    const [tool, input] = halves(rest);
    const dot = tool.indexOf(".");
    const name = dot < 0 ? tool : `mcp__${tool.slice(0, dot)}__${tool.slice(dot + 1)}`;
    return { kind: "call", name, input: input === "" ? "{}" : input };
  },
  ask: (rest) => askFor(splitAsk(rest)[0]) ?? command(`ask ${rest}`),
  escalate: (cmd) =>
    command(cmd, {
      sandbox_permissions: "require_escalated",
      justification: "The user asked to run this outside the sandbox.",
    }),
  background: (cmd) => command(cmd, { tty: true, yield_time_ms: 250 }),
  type: (rest) => {
    const [session, text] = halves(rest);
    const input = { session_id: Number(session), chars: `${text}\n`, yield_time_ms: 1000 };
    return tool("write_stdin", input);
  },
};

/** Reads a line. One that begins with no word of ours is a command. */
export function parseOfflineLine(line: string): OfflineMove {
  const [word, rest] = halves(line.trim());
  if (rest !== "" && Object.hasOwn(WORDS, word)) return WORDS[word]?.(rest) ?? command(line);
  if (word === "") return { kind: "say", text: "There is nothing to do." };
  return command(line.trim());
}

/** What a line that asks for permissions wants done after the answer to its nth question, whatever that was. */
export function lineAfterAsking(line: string, questions: number): string | undefined {
  let rest: string | undefined = line.trim();
  for (let asked = 0; asked < questions && rest !== undefined; asked += 1) {
    const [word, more] = halves(rest);
    rest = word === "ask" ? splitAsk(more)[1] : undefined;
  }
  return rest;
}

function splitAsk(text: string): [string, string | undefined] {
  const [, wanted = text, next] = /^(.*?)\s+then\s+(.*)$/s.exec(text) ?? [];
  return [wanted, next];
}

function askFor(wanted: string): OfflineMove | undefined {
  const ask = (permissions: Readonly<Record<string, unknown>>) =>
    tool("request_permissions", { reason: "The user told me to ask for it.", permissions });
  if (wanted === "network") return ask({ network: { enabled: true } });
  const [access, path] = halves(wanted);
  const isAccess = access === "read" || access === "write";
  return isAccess && path !== "" ? ask({ file_system: { [access]: [path] } }) : undefined;
}

function command(cmd: string, more: Readonly<Record<string, unknown>> = {}): OfflineMove {
  return tool("exec_command", { cmd, ...more });
}

function tool(name: string, input: Readonly<Record<string, unknown>>): OfflineMove {
  return { kind: "call", name, input: JSON.stringify(input) };
}

/** The first word, and what follows it. */
function halves(text: string): [string, string] {
  const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  return [word, rest];
}
