/** A patch that cannot be read, or does not fit the files it is for. Its sentence is for the model. */
export class PatchError extends Error {
  override readonly name = "PatchError";

  /** `line` is of the patch, from 1. */
  constructor(line: number, problem: string) {
    super(`Cannot apply the patch: line ${line}: ${problem}`);
  }
}
