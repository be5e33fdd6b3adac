/** Why a request has no answer, in words of this program: nothing the other side wrote is in them. */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure";
}

/**
 * Says what went wrong on the way. Of an error that is not ours only its code is
 * told: its text may repeat an address that the other side made of a secret header.
 */
export function describeFailure(fault: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : fault;
  if (cause instanceof HttpFailure) return cause.message;
  if (signal.aborted) return "nobody waits for the answer";
  const { syscall, code } = Object(cause) as { readonly syscall?: unknown; code?: unknown };
  const told = [syscall, code].filter((word) => typeof word === "string");
  return told.length > 0 ? told.join(" ") : "the request could not be sent";
}
