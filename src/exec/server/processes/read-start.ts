/**
 * The edge of `process/start`: params of the wire become a {@link StartRequest}.
 *
 * Absence means something only here. What this executor cannot keep is refused
 * by the name of its member, before anything is planned.
 */
import type { z } from "zod";
import { ExecError } from "../../exec-error.ts";
import { intentOfWire } from "../../intent/intent-of-wire.ts";
import type { SandboxIntent } from "../../intent/sandbox-intent.ts";
import type { processMethods } from "../../protocol/process-methods.ts";
import type { StartRequest } from "../../start-request.ts";

export type StartParams = z.output<typeof processMethods.start.params>;

/** Whose word it is when a client says no more than that it wants no sandbox. */
const CLIENT = "client";
const DEFAULT_SIZE = { columns: 80, rows: 24 };

/** Reads the params. Throws {@link ExecError} with the member that cannot be kept. */
export function readStart(params: StartParams): StartRequest {
  refuseUnkept(params);
  const { processId, argv, cwd, env, writ } = params;
  return {
    processId,
    argv,
    arg0: params.arg0 ?? null,
    cwd,
    envPolicy: params.envPolicy ?? null,
    env,
    terminal: params.tty ? (writ?.size ?? DEFAULT_SIZE) : null,
    pipeStdin: params.pipeStdin,
    sandbox: intentOf(params),
    anchor: writ?.anchor ?? null,
    ids: idsOf(params),
  };
}

/** What the caller calls it. */
export function idsOf({ processId, metadata, writ }: StartParams): StartRequest["ids"] {
  const threadId = writ?.threadId ?? metadata?.threadId;
  return {
    ...writ?.ids,
    process: processId,
    ...(threadId !== undefined && { thread: threadId }),
    ...(metadata && { toolCall: metadata.toolCallId }),
  };
}

function intentOf({ sandbox, writ }: StartParams): SandboxIntent {
  const intent = intentOfWire(sandbox, CLIENT);
  if (writ?.waived === undefined) return intent;
  if (intent.kind === "waived") return { kind: "waived", ...writ.waived };
  throw new ExecError(
    "invalidRequest",
    'Cannot read "writ.waived": it stands beside a sandbox, expected one of the two',
    { field: "writ.waived" },
  );
}

const PROXY = "there is no proxy on this executor that would enforce it";

function refuseUnkept(params: StartParams): void {
  if (params.enforceManagedNetwork) throw unkept("enforceManagedNetwork", PROXY);
  if (isGiven(params.managedNetwork)) throw unkept("managedNetwork", PROXY);
  if (isGiven(params.networkProxy)) throw unkept("networkProxy", PROXY);
  if (isGiven(params.shellSnapshot)) throw unkept("shellSnapshot", "it keeps no shell snapshots");
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function unkept(field: string, why: string): ExecError {
  return new ExecError("invalidRequest", `Cannot keep "${field}": ${why}, expected none`, {
    field,
  });
}
