/**
 * Runs what builds a layer, one command after the other, each in a sandbox.
 *
 * All of them share an anchor, which alone makes the layer writable. It is
 * closed before anybody looks at the layer: then nothing runs in it any more.
 */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  CORE_VARIABLES,
  ExecError,
  type Executor,
  type SandboxIntent,
} from "../../../../exec/index.ts";
import { type AbsolutePath, uriOfNative } from "../../../../policy/index.ts";
import { Refusal, refuseAborted } from "../../../refusal.ts";
import type { BuildStep } from "../../snapshot-support.ts";
import { BuildError } from "./build-error.ts";
import { type DiskRoom, DiskWatch } from "./disk-watch.ts";
import type { BuildCommand } from "./plan-build.ts";

type Anchors = NonNullable<Executor["anchors"]>;

export interface LayerBuild {
  readonly id: string;
  readonly layer: AbsolutePath;
  readonly intent: SandboxIntent;
  readonly commands: readonly BuildCommand[];
  readonly onStep: (step: BuildStep) => void;
  readonly signal: AbortSignal;
  /** How much of the disk it may take. */
  readonly room: DiskRoom;
}

/** Throws a {@link Refusal}; what was written until then is still there. */
export async function buildLayer(
  executor: Executor,
  anchors: Anchors,
  build: LayerBuild,
): Promise<void> {
  const anchorId = `snapshot-${build.id}-${randomUUID()}`;
  const layer = { path: build.layer, access: "write" } as const;
  const opening = anchors.open({ anchorId, ids: { snapshot: build.id }, layer });
  const { home } = await opening.catch((cause: unknown) => {
    throw refused("it has no place on this machine", cause);
  });
  const watch = new DiskWatch([build.layer, fileURLToPath(home)], build.room);
  try {
    for (const [index, command] of build.commands.entries()) {
      refuseAborted(build.signal, "build the snapshot");
      build.onStep({ number: index + 1, of: build.commands.length, name: command.name });
      await runStep(executor, { ...build, anchorId, command, full: watch.over });
    }
    refuseAborted(build.signal, "build the snapshot");
  } finally {
    watch.stop();
    // Where it cannot be closed, it ends with this process; the layer is not used then.
    await anchors.close(anchorId);
  }
}

interface Step extends LayerBuild {
  readonly anchorId: string;
  readonly command: BuildCommand;
  /** Aborted once it has taken too much of the disk. */
  readonly full: AbortSignal;
}

const VARIABLES = { CI: "1", NO_COLOR: "1", TERM: "dumb", DEBIAN_FRONTEND: "noninteractive" };
const MOST_PRINTED = 8000;

async function runStep(executor: Executor, step: Step): Promise<void> {
  const { command, full } = step;
  refuseFull(full, "");
  const signal = AbortSignal.any([step.signal, full]);
  const process = await executor.start(startOf(step)).catch((cause: unknown) => {
    throw refused(`"${command.name}" was not run`, cause);
  });
  const end = () => void process.terminate().catch(() => {});
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    const { exitCode, printed, isFaulty } = await follow(process.events, command);
    refuseFull(full, printed);
    refuseAborted(step.signal, "build the snapshot");
    if (exitCode === 0 && !isFaulty) return;
    const what = isFaulty ? "left something out" : `exited with ${exitCode}`;
    throw new BuildError(`"${command.name}" ${what}, expected all of it`, printed);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw refused(`how "${command.name}" went is not known, expected to see its end`, cause);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function refuseFull({ aborted }: AbortSignal, printed: string): void {
  if (!aborted) return;
  const what = "it leaves too little room on the disk, or takes too much of it, expected less";
  throw new BuildError(what, printed);
}

function startOf({ anchorId, command, layer, intent, id }: Step) {
  return {
    processId: `${anchorId}-${randomUUID()}`,
    ...{ argv: command.argv, arg0: null, cwd: uriOfNative(layer), terminal: null },
    ...{ envPolicy: CORE_VARIABLES, env: VARIABLES, pipeStdin: false },
    ...{ sandbox: intent, anchor: anchorId, ids: { snapshot: id } },
  };
}

type Events = Awaited<ReturnType<Executor["start"]>>["events"];

async function follow(events: Events, { failure }: BuildCommand) {
  let [printed, exitCode, isFaulty] = ["", -1, false];
  for await (const event of events) {
    if (event.kind === "exited") exitCode = event.exit.exitCode;
    if (event.kind !== "output") continue;
    const all = printed + Buffer.from(event.chunk).toString();
    // Before it is cut: one piece may be longer than what is kept.
    isFaulty ||= failure?.test(all) ?? false;
    printed = all.slice(-MOST_PRINTED);
  }
  return { exitCode, printed, isFaulty };
}

/** What an executor refused it says in a sentence of its own. */
function refused(what: string, cause: unknown): Refusal {
  const why = cause instanceof ExecError ? `${what}. ${cause.message}` : what;
  return new BuildError(why, "", { cause });
}
