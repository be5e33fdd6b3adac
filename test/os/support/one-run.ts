/**
 * Many attacks in one sandboxed command: to start it for each takes longer than all of them.
 *
 * Each test looks at an answer of its own. What ends the command, or leaves something that another
 * one looks at, has a run of its own instead.
 */
import { afterAll } from "vitest";
import { type Place, placeFor, type Ran, type SandboxUser } from "./sandbox-user.ts";

export interface Answer {
  readonly stdout: string;
  readonly status: number;
}

/** A script for a shell of its own, or a program and its arguments. */
export type Attack = string | readonly string[];

/** Does each of them by itself, one after the other; what it printed and how it ended. */
export function inOneRun<Name extends string>(
  run: (command: readonly string[]) => Ran,
  attacks: Readonly<Record<Name, Attack>>,
): Readonly<Record<Name, Answer>> {
  const names = Object.keys(attacks) as Name[];
  const lines = names.map((name) => `${commandOf(attacks[name])}; printf '\\001%s\\001' $?`);
  const { stdout, stderr } = run(["/bin/sh", "-c", lines.join("\n")]);
  const parts = stdout.split(MARK);
  if (parts.length !== 2 * names.length + 1) throw new Error(`It broke off: ${stdout}${stderr}`);
  const answers = names.map((name, index) => {
    const [printed = "", status] = parts.slice(2 * index);
    return [name, { stdout: printed, status: Number(status) }] as const;
  });
  return Object.fromEntries(answers) as Record<Name, Answer>;
}

/** Around the status of each; nothing that is tried prints it. */
const MARK = "\u0001";

function commandOf(attack: Attack): string {
  const words = typeof attack === "string" ? ["/bin/sh", "-c", attack] : attack;
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

type Finished = (end: () => void) => void;

/**
 * What is made for a user and a mode when the first test of the file asks for it, and kept for the others.
 *
 * Its place is there until the file is over; so is whatever else says when it ends.
 */
export function onceFor<Mode extends string, Made>(
  make: (place: Place, mode: Mode, finished: Finished) => Made,
): (user: SandboxUser, mode: Mode) => Made {
  const kept = new Map<string, Made>();
  const ends: (() => void)[] = [];
  const finished: Finished = (end) => void ends.push(end);
  afterAll(() => {
    for (const end of ends.splice(0).reverse()) end();
  });
  return (user, mode) => {
    const key = `${user} ${mode}`;
    const made = kept.get(key) ?? make(placeFor(user, finished), mode, finished);
    kept.set(key, made);
    return made;
  };
}
