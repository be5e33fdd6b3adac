/** The outcome of a start that was cancelled: nothing of it runs, and its receipt says whether anything did. */
import { RpcError } from "../../../rpc/index.ts";
import { ExecError } from "../../exec-error.ts";

interface Cancelled {
  readonly ran: boolean;
  readonly receiptId: string | undefined;
}

/** Why the executor shall not let it run. */
export function cancelledStart(id: string): ExecError {
  return new ExecError("invalidRequest", messageFor(id));
}

/** What is answered. Whoever cancelled what had begun to run must not take it for never begun. */
export function cancelledAnswer(id: string, { ran, receiptId }: Cancelled): RpcError {
  const message = ran ? `${messageFor(id)}: it ran by then, and was ended` : messageFor(id);
  const writ = receiptId === undefined ? undefined : { code: "invalidRequest", receiptId };
  return new RpcError("invalidRequest", message, writ && { data: { writ } });
}

function messageFor(id: string): string {
  return `process ${id} start was cancelled`;
}
