export type PolicyErrorCode =
  /** A value has the wrong shape: a member is missing, of another type, or holds what it may not. */
  | "malformed"
  /** A member, access, kind, type or generation that this version does not know. */
  | "unknown"
  /** A path, URI, subpath or glob that cannot be meant as written. */
  | "invalidPath"
  /** Too deep, too many values or too long to be a policy. */
  | "tooLarge"
  /** A dialect has no words for this value. */
  | "unrepresentable"
  /** A party that may only narrow asks for more. */
  | "widens"
  /** A symbol or path has no meaning on the host that would enforce it. */
  | "unbindable";

/**
 * A policy could not be read, written or bound, so nothing may run under it.
 *
 * Programs branch on `code`; people read `message`, which names the member.
 */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code: PolicyErrorCode;

  constructor(code: PolicyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
