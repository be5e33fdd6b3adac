import { TransportError } from "../transport-error.ts";
import { networkProblem } from "./network-problem.ts";

/** The typed form of an error from `listen`. */
export function bindError(address: string, cause: NodeJS.ErrnoException): TransportError {
  const code = cause.code === "EADDRINUSE" ? "addressInUse" : "cannotBind";
  const what = `Cannot listen on "${address}": ${networkProblem(cause)}`;
  return new TransportError(code, what, { cause });
}
