/** The first three descriptors of a command: what it gets of them, and what is ours. */
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { isMainThread } from "node:worker_threads";
import type { Child } from "../child.ts";
import type { Launched, Standard } from "../launch.ts";
import { observeOutput } from "./observe-output.ts";
import { type OpenPipe, openInput, openOutput } from "./open-pipe.ts";
import type { Terminal } from "./open-terminal.ts";
import { isInputOnly, safeStdio } from "./safe-stdio.ts";

export interface StreamOptions {
  /** `own` gives the command the streams of this process where that is safe, and pipes elsewhere. */
  readonly streams: "pipe" | "own";
  /** `none` is /dev/null: programs tell an input that is empty from one that is not there. */
  readonly stdin?: "none";
  /** Sees what the command prints; what it would see is then never given away as it is. */
  readonly observe?: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
}

export interface OuterStreams {
  /** Nothing where the command has a stream of this process. For a terminal, its outer side. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

/** Shown what a command prints; says no to what must not be passed on. */
type See = (chunk: Buffer, stream: "stdout" | "stderr") => boolean;

/** What the command gets for its first three descriptors, and what is ours of it. */
interface StandardStreams {
  readonly inner: Standard;
  readonly outer: Partial<OuterStreams>;
  readonly terminal?: Terminal;
}

/** The command has the inner sides then; should there be none, nobody needs the outer ones either. */
export function launchOn(
  { inner, outer }: StandardStreams,
  start: (inner: Standard) => Launched,
): Launched {
  try {
    return start(inner);
  } catch (error) {
    for (const stream of Object.values(outer)) stream?.destroy();
    throw error;
  } finally {
    for (const fd of new Set(inner)) if (typeof fd === "number") fs.closeSync(fd);
  }
}

/** What has to be seen or counted goes through a pipe; a terminal on stdout is left to the command all the same. */
export function standardOf(
  options: StreamOptions,
  { terminal, isCounted }: { terminal: Terminal | undefined; isCounted: boolean },
): StandardStreams {
  if (terminal !== undefined) {
    const { inner, input } = terminal;
    return { inner: [inner, inner, inner], outer: { stdin: input }, terminal };
  }
  if (options.streams === "pipe") return pipes(options);
  const [stdin = "pipe", stdout = "pipe", stderr = "pipe"] = safeStdio();
  if (isCounted) return countedStreams();
  const { observe } = options;
  return { inner: [stdin, stdout, observe === undefined ? stderr : "pipe"], outer: {} };
}

/** No way out that nobody counts. */
function countedStreams(): StandardStreams {
  if (isInputOnly()) return { inner: ["inherit", "pipe", "pipe"], outer: {} };
  const input = openInput();
  return { inner: [input.inner, "pipe", "pipe"], outer: { stdin: input.outer } };
}

/**
 * A thread takes what Node gives a child. With the thread Node closes every number that it has opened, also
 * one that a stream has closed since and that is somebody else's file by then.
 */
function pipes({ stdin }: StreamOptions): StandardStreams {
  if (!isMainThread) {
    return { inner: [stdin === "none" ? "ignore" : "pipe", "pipe", "pipe"], outer: {} };
  }
  const made: OpenPipe<Readable | Writable>[] = [];
  const keep = <T extends Readable | Writable>(pipe: OpenPipe<T>) => {
    made.push(pipe);
    return pipe;
  };
  try {
    const input = stdin === "none" ? undefined : keep(openInput());
    const [output, errors] = [keep(openOutput()), keep(openOutput())];
    return {
      inner: [input?.inner ?? "ignore", output.inner, errors.inner],
      outer: { stdin: input?.outer ?? null, stdout: output.outer, stderr: errors.outer },
    };
  } catch (error) {
    for (const { inner, outer } of made) {
      fs.closeSync(inner);
      outer.destroy();
    }
    throw error;
  }
}

export function streamsOf(
  { outer, terminal }: StandardStreams,
  child: Child,
  see: See | undefined,
): OuterStreams {
  const [input = null, output = null, errors = null] = child.stdio;
  const own = { stdin: input, stdout: output, stderr: errors } as OuterStreams;
  const { stdin, stdout, stderr } = { ...own, ...outer };
  // A reader or writer that has left is the caller's to notice, not a reason to fall over.
  for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {});
  if (terminal !== undefined) {
    const printed = observeOutput(terminal.outer, (chunk) => see?.(chunk, "stdout") ?? true);
    return { stdin, stdout: printed, stderr: null };
  }
  if (see === undefined) return { stdin, stdout, stderr };
  return {
    stdin,
    stdout: stdout && observeOutput(stdout, (chunk) => see(chunk, "stdout")),
    stderr: stderr && observeOutput(stderr, (chunk) => see(chunk, "stderr")),
  };
}
