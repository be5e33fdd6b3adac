/** A {@link StartRequest} becomes the params of `process/start` for one server. Pure. */
import { z } from "zod";
import { ExecError } from "../exec-error.ts";
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
    ...(trust.kind === "writ" && { writ: writOf(request) }),
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

function writOf({ ids, terminal, sandbox, anchor }: StartRequest): StartParams["writ"] {
  return {
    ...(anchor !== null && { anchor }),
    ...(ids.thread !== undefined && { threadId: ids.thread }),
    ...(terminal !== null && { size: { columns: terminal.columns, rows: terminal.rows } }),
    ...(sandbox.kind === "waived" && { waived: { by: sandbox.by, reason: sandbox.reason } }),
  };
}
