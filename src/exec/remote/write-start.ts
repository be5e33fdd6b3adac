/** A {@link StartRequest} becomes the params of `process/start` for one server. Pure. */
import { z } from "zod";
import { ExecError } from "../exec-error.ts";
import { LONGEST_ID } from "../protocol/client-ids.ts";
import type { processMethods } from "../protocol/process-methods.ts";
import type { StartRequest } from "../start-request.ts";
import type { ServerTrust } from "./server-trust.ts";
import { writeIntent } from "./write-intent.ts";

export type StartParams = z.input<typeof processMethods.start.params>;

/** Writes the params; throws `ExecError` where this server would not keep what is asked for. */
export function writeStart(request: StartRequest, trust: ServerTrust): StartParams {
  const { processId, argv, cwd, env, envPolicy, terminal, pipeStdin, arg0, sandbox } = request;
  refuseAnchor(request, trust);
  const metadata = metadataOf(request);
  return {
    processId,
    ...(metadata && { metadata }),
    argv: [...argv],
    cwd,
    envPolicy: envPolicy && {
      ...envPolicy,
      exclude: [...envPolicy.exclude],
      set: { ...envPolicy.set },
      includeOnly: [...envPolicy.includeOnly],
    },
    env: { ...env },
    tty: terminal !== null,
    pipeStdin,
    arg0,
    sandbox: writeIntent(sandbox, trust),
    enforceManagedNetwork: false,
    ...(trust.kind === "writ" && { writ: writOf(request, metadata) }),
  };
}

/** Others would pass over the name and run it anywhere. */
function refuseAnchor({ anchor }: StartRequest, trust: ServerTrust): void {
  if (anchor === null || trust.kind === "writ") return;
  throw new ExecError(
    "unknownAnchor",
    `Cannot start in anchor "${anchor}": this server has no anchors, expected one that has`,
    { field: "anchor" },
  );
}

const Uuid = z.uuid();

/** Others refuse a thread that is no UUID, and want both or none. */
function metadataOf({ ids: { thread, toolCall } }: StartRequest): StartParams["metadata"] {
  if (toolCall === undefined || !Uuid.safeParse(thread).success) return undefined;
  return { threadId: String(thread), toolCallId: toolCall };
}

function writOf(
  { ids, terminal, sandbox, anchor }: StartRequest,
  metadata: StartParams["metadata"],
): StartParams["writ"] {
  const { thread, toolCall, ...others } = ids;
  const untold = metadata || toolCall === undefined ? others : { ...others, toolCall };
  return {
    ...(anchor !== null && { anchor }),
    ...(thread !== undefined && { threadId: thread }),
    ...(Object.keys(untold).length > 0 && { ids: boundedIds(untold) }),
    ...(terminal !== null && { size: { columns: terminal.columns, rows: terminal.rows } }),
    ...(sandbox.kind === "waived" && { waived: { by: sandbox.by, reason: sandbox.reason } }),
  };
}

/** Nothing is refused for the length of a name. */
export function boundedIds(ids: StartRequest["ids"]): Record<string, string> {
  const bounded = (id: string) =>
    id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 1).toWellFormed()}…`;
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, bounded(id)]));
}
