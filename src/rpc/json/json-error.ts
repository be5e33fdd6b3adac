/** Why a text was refused; programs branch on this, never on the sentence. */
export type JsonErrorCode =
  | "syntax"
  /** Two members of one object have the same name once escapes are resolved. */
  | "duplicateKey"
  /** A member is named `__proto__`, which later copies could turn into a prototype. */
  | "forbiddenKey"
  | "tooDeep"
  | "tooManyValues"
  | "tooLong";

/** A text that is not JSON, or is JSON that this program will not hold. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly code: JsonErrorCode;

  constructor(code: JsonErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
