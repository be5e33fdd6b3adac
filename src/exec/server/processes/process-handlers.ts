import { type Handlers, RpcError } from "../../../rpc/index.ts";
import type { Executor } from "../../executor.ts";
import type { processMethods } from "../../protocol/process-methods.ts";
import { keepRefusal } from "../../receipts/keep-refusal.ts";
import type { ReceiptKeeper } from "../../receipts/run-receipt.ts";
import type { StartRequest } from "../../start-request.ts";
import { decodeBase64 } from "../decode-base64.ts";
import type { ExecConnection } from "../exec-connection.ts";
import { toRpcError } from "../to-rpc-error.ts";
import { readProcess } from "./read-process.ts";
import { idsOf, readStart, type StartParams } from "./read-start.ts";

export interface ProcessParts {
  readonly executor: Executor;
  /** Where refusals are kept that do not come as far as the executor. */
  readonly receipts: ReceiptKeeper;
}

/** What a client may do with processes. */
export function processHandlers({
  executor,
  receipts,
}: ProcessParts): Handlers<typeof processMethods, ExecConnection> {
  return {
    async start(params, { session }) {
      try {
        const begin = async (givenUp: AbortSignal) =>
          executor.start(inSession(readOrKeep(params, receipts), session), givenUp);
        const { processId, sandboxType } = await session.start(params.processId, begin);
        return { processId, sandboxType };
      } catch (error) {
        throw toRpcError(error);
      }
    },

    async read(params, { session }, { signal }) {
      const process = session.find(params.processId);
      if (process === "starting") {
        throw new RpcError("invalidRequest", `process id ${params.processId} is starting`);
      }
      if (process === undefined) {
        throw new RpcError("invalidRequest", `unknown process id ${params.processId}`);
      }
      return readProcess(process, params, signal);
    },

    async write({ processId, chunk, writeId }, { session }) {
      if (writeId === "") throw new RpcError("invalidParams", "writeId must not be empty");
      const bytes = decodeBase64(chunk, (why) => new RpcError("invalidParams", why));
      const process = session.find(processId);
      if (process === undefined) return { status: "unknownProcess" };
      if (process === "starting") return { status: "starting" };
      try {
        const isTaken = await process.writes.once(writeId, () => process.running.write(bytes));
        return { status: isTaken ? "accepted" : "stdinClosed" };
      } catch (error) {
        throw toRpcError(error);
      }
    },

    async signal({ processId, writ }, { session }) {
      const process = session.find(processId);
      if (typeof process === "object") await process.running.interrupt(writ?.reach ?? "group");
      return {};
    },

    async terminate({ processId }, { session }) {
      return { running: await session.terminate(processId) };
    },

    async closeInput({ processId }, { session }) {
      const process = session.find(processId);
      if (typeof process === "object") await process.running.closeInput();
      return {};
    },

    async resize({ processId, columns, rows }, { session }) {
      const process = session.find(processId);
      if (typeof process === "object") await process.running.resize({ columns, rows });
      return {};
    },
  };
}

/** A client calls an anchor by the name it has in its session. */
function inSession(request: StartRequest, { anchors }: ExecConnection["session"]): StartRequest {
  const { anchor } = request;
  return anchor === null ? request : { ...request, anchor: anchors.nameOf(anchor) };
}

function readOrKeep(params: StartParams, receipts: ReceiptKeeper): StartRequest {
  try {
    return readStart(params);
  } catch (error) {
    const { argv, cwd, sandbox } = params;
    throw keepRefusal({ argv, cwd, ids: idsOf(params), sandbox }, error, receipts);
  }
}
