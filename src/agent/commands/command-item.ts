import { nativeOfUri, type PathUri } from "../../policy/index.ts";
import type { ModelCall } from "../items/model-call.ts";
import type { CommandExecution } from "../turn-item.ts";

export interface CommandToShow {
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: PathUri;
  readonly source: CommandExecution["source"];
  readonly call: ModelCall | null;
}

/** The item of a command that has not begun. */
export function commandItem({ id, argv, cwd, source, call }: CommandToShow): CommandExecution {
  return {
    type: "commandExecution",
    id,
    command: argv.map(shellWord).join(" "),
    argv,
    cwd: nativeOfUri(cwd) ?? cwd,
    processId: null,
    source,
    status: "inProgress",
    output: null,
    exitCode: null,
    durationMs: null,
    receiptId: null,
    denial: null,
    call,
  };
}

/** What bash is given for a line. */
export function shellArgv(line: string, shell: "login" | "plain"): readonly string[] {
  return ["/bin/bash", shell === "login" ? "-lc" : "-c", line];
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
