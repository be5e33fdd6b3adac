/**
 * Opens line REPLs and serves calls to them, as whoever starts it: one question per line of its
 * input, one answer per line of its output, in whatever order they are ready.
 *
 * It runs from one file beside the built program.
 */
import readline from "node:readline";
import { openLocalMachine } from "writ/exec";
import type { ReplCall, ReplReply } from "./line-repl.ts";
import { type OpenRepl, openRepl, type ReplSettings } from "./open-repl.ts";

/** A question of a test. */
export type Question =
  | { readonly ask: "open"; readonly repl: string; readonly settings: ReplSettings }
  | {
      readonly ask: "call";
      readonly repl: string;
      readonly call: ReplCall & { readonly dies?: boolean };
    }
  | { readonly ask: "close"; readonly repl: string };

/** What became of it. */
export type Answer = { readonly starts: number; readonly reply?: ReplReply };

const machine = openLocalMachine({
  home: process.env.WRIT_HOME ?? "",
  ceilings: [],
  waivers: "allowed",
});
const open = new Map<string, OpenRepl>();

async function answer(question: Question): Promise<Answer> {
  if (question.ask === "open") open.set(question.repl, openRepl(machine, question.settings));
  const repl = open.get(question.repl);
  if (repl === undefined) throw new Error(`Cannot ask "${question.repl}": it is not open`);
  if (question.ask === "close") await repl.close();
  if (question.ask !== "call") return { starts: repl.starts() };
  const reply = await repl.serve(question.call);
  return { starts: repl.starts(), reply };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, question }: { id: number; question: Question } = JSON.parse(line);
  answer(question).then(
    (told) => process.stdout.write(`${JSON.stringify({ id, answer: told })}\n`),
    (error: unknown) =>
      process.stdout.write(
        `${JSON.stringify({ id, error: error instanceof Error ? error.stack : String(error) })}\n`,
      ),
  );
}
await Promise.all([...open.values()].map((repl) => repl.close()));
await machine.executor.close();
