import { TransportError } from "../transport-error.ts";

/** The typed form of an error from `listen`. */
export function bindError(address: string, cause: NodeJS.ErrnoException): TransportError {
  const code = cause.code === "EADDRINUSE" ? "addressInUse" : "cannotBind";
  return new TransportError(code, `Cannot listen on "${address}": ${cause.message}`, { cause });
}
