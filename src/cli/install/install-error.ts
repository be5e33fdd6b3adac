/** A client's settings could not be changed, and were not: printed as one sentence, exit 1. */
export class InstallError extends Error {
  override readonly name = "InstallError";
}
