export type FilterErrorCode =
  /** The steps do not make a program the kernel would take, or hold a step that nothing reaches. */
  | "invalidSteps"
  /** More instructions than the kernel takes. */
  | "tooLong";

/** A filter could not be assembled, so nothing may run under it. */
export class FilterError extends Error {
  override readonly name = "FilterError";
  readonly code: FilterErrorCode;

  constructor(code: FilterErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
