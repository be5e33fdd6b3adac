export type SandboxErrorCode =
  /** This host has no back-end that can enforce the profile. */
  | "unsupportedHost"
  /** A rule of the profile that no back-end here can keep. */
  | "unenforceableRule"
  /** A path that cannot be protected, for instance because a link leads through a writable place. */
  | "unprotectablePath"
  /** More mounts than one plan may have. */
  | "tooManyMounts"
  /** The back-end refused to start. */
  | "backendFailed"
  /** A receipt that contradicts itself, which nobody could believe later. */
  | "malformedReceipt";

export interface SandboxErrorOptions extends ErrorOptions {
  /** What of the request no process can be given; nothing where it is the policy. */
  readonly member?: "command" | "env";
}

/**
 * The sandbox could not be built, so the command did not run.
 *
 * Callers branch on `code`; people read `message`. A command that ran and was
 * denied something is not an error: it is a result with a non-zero exit.
 */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;
  readonly member: SandboxErrorOptions["member"];

  constructor(
    code: SandboxErrorCode,
    message: string,
    { member, ...options }: SandboxErrorOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.member = member;
  }
}
