/** A driver of line REPLs for the tests of a `describe`, and a REPL of its own for each of them. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Place, placeFor, type SandboxUser } from "../../../support/sandbox-user.ts";
import { managed, stateOf, withState } from "./call-states.ts";
import type { ReplSettings } from "./open-repl.ts";
import { perlsWith, processesWith } from "./perls-with.ts";
import type { Answer, Question } from "./repl-driver.ts";
import { endProgram, startProgram } from "./start-program.ts";

export interface Heard {
  readonly text: string;
  readonly isError: boolean;
  /** How many processes the REPL has started so far. */
  readonly starts: number;
}

export interface CallOptions {
  readonly timeoutMs?: number;
  /** The worker is killed between the look at it and its use. */
  readonly dies?: boolean;
}

/** What a call brings: a `_meta`, or none. */
export type Meta = Record<string, unknown> | undefined;

export interface CaseRepl {
  /** A folder of its own, writable under `a`. */
  readonly cwd: string;
  /** Where no policy lets a command write. */
  readonly outside: string;
  /** What `tmpdir` means on the host. */
  readonly tmp: string;
  /** Workspace-write. */
  readonly a: Record<string, unknown>;
  /** Read-only. */
  readonly b: Record<string, unknown>;
  call(input: string, meta: Meta, options?: CallOptions): Promise<Heard>;
  /** A request under `a` that is pending and has printed `mark`; it must last until it is told to go on. */
  pend(code: string, mark: string): Promise<Heard>;
  /** Code that waits until it is told to go on. */
  waits(step: string): string;
  /** Tells it. */
  goOn(step: string): void;
  /** The interpreters that run; one that was just started may not be among them yet. */
  workers(): number[];
  /** All that runs for it. */
  processes(): number[];
}

export interface OpenOptions {
  readonly longOutput?: ReplSettings["longOutput"];
  /** Folders beside the workspace that are writable too, or a state of the server's own. */
  readonly writableRoots?: readonly string[];
  /** Gets the workspace, gives the policy; the default inherits. */
  readonly policy?: (cwd: string) => ReplSettings["policy"];
}

export interface ReplLab {
  readonly place: Place;
  open(options?: OpenOptions): Promise<CaseRepl>;
}

const MOMENT_MS = 60;
const LONG_MS = 20_000;

/** One driver for all tests of a `describe`. */
export function replLab(
  user: SandboxUser,
  env: Readonly<Record<string, string>> = {},
): () => ReplLab {
  const ends: (() => void | Promise<void>)[] = [];
  let lab: ReplLab | undefined;
  beforeAll(() => {
    const place = placeFor(user, (end) => void ends.push(end));
    const tmp = path.join(path.dirname(place.outside), "tmp");
    mkdirSync(tmp);
    const driver = startProgram(place, ["repl-driver"], { TMPDIR: tmp, ...env });
    ends.unshift(() => endProgram(driver));
    const ask = asking(driver);
    lab = { place, open: (options) => openOn({ place, tmp, ask }, options) };
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => {
    if (lab === undefined) throw new Error("the driver is there from the first test on");
    return lab;
  };
}

type Ask = (question: Question) => Promise<Answer>;

function asking(driver: ChildProcess): Ask {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  const { stdout, stdin } = driver;
  if (stdout === null || stdin === null) throw new Error("the driver has no streams");
  createInterface({ input: stdout }).on("line", (line) => {
    const { id, answer, error } = JSON.parse(line);
    if (error === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  const ended = () => new Error("the driver has ended");
  driver.on("exit", () => {
    for (const one of waiting.values()) one.reject(ended());
  });
  stdin.on("error", () => {});
  let last = 0;
  return async (question) => {
    if (driver.exitCode !== null || driver.signalCode !== null) throw ended();
    last += 1;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(last, answer);
    stdin.write(`${JSON.stringify({ id: last, question })}\n`);
    return answer.promise;
  };
}

interface LabParts {
  readonly place: Place;
  readonly tmp: string;
  readonly ask: Ask;
}

async function openOn(
  { place, tmp, ask }: LabParts,
  { longOutput = "pager", writableRoots = [], policy }: OpenOptions = {},
): Promise<CaseRepl> {
  const cwd = mkdtempSync(path.join(place.workspace, "case-"));
  place.give();
  const repl = randomUUID();
  const word = `line-repl-${repl}`;
  const roots = writableRoots.map((root) => pathToFileURL(root).href as never);
  const settings: ReplSettings = {
    word,
    policy: policy?.(cwd) ?? { kind: "inherit", writableRoots: roots },
    longOutput,
    bundles: path.join(tmp, word),
  };
  await ask({ ask: "open", repl, settings });
  onTestFinished(async () => void (await ask({ ask: "close", repl })));
  const call: CaseRepl["call"] = async (
    input,
    meta,
    { timeoutMs = LONG_MS, dies = false } = {},
  ) => {
    const { reply, starts } = await ask({
      ask: "call",
      repl,
      call: { input, timeoutMs, meta, dies },
    });
    const text = reply?.content.map((part) => part.text).join("") ?? "";
    return { text, isError: reply?.isError ?? false, starts };
  };
  const a = withState(stateOf(workspaceWrite(cwd), cwd));
  const b = withState(stateOf(managed([[":root", "read"]]), cwd));
  return {
    ...{ cwd, outside: place.outside, tmp, a, b, call },
    pend: async (code, mark) => {
      let heard = await call(code, a, { timeoutMs: MOMENT_MS });
      while (!heard.text.includes(mark))
        heard = await call("", undefined, { timeoutMs: MOMENT_MS });
      return heard;
    },
    waits: (step) => `until_there("${cwd}/${step}");`,
    goOn: (step) => writeFileSync(path.join(cwd, step), ""),
    workers: () => perlsWith(word),
    processes: () => processesWith(word),
  };
}

/** As clients send it. */
export function workspaceWrite(cwd: string): object {
  return managed([
    [":root", "read"],
    [cwd, "write"],
    [":slash_tmp", "write"],
    [":tmpdir", "write"],
  ]);
}
