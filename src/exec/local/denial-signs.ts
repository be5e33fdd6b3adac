/**
 * Whether a sandbox probably made a command fail, judged by the end of what it printed.
 *
 * Clients of the wire ask again with more rights when it says so; the words are
 * theirs. The receipt judges line by line and against the policy instead.
 */
const SIGNS = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
];

/** Exit codes of a wrong call, a program that cannot run and one that is not there. */
const PLAIN_FAILURES = [2, 126, 127];
/** 128 + SIGSYS. */
const BAD_CALL = 159;
const KEPT_BYTES = 1 << 20;
/** More are put together: a byte must not cost an object. */
const KEPT_CHUNKS = 1024;

export class DenialSigns {
  #kept: Uint8Array[] = [];
  #bytes = 0;

  /** Keeps the end of what is printed, and with it bytes that are its own from then on. */
  see(chunk: Uint8Array): void {
    this.#kept.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes - (this.#kept[0]?.length ?? 0) >= KEPT_BYTES) {
      this.#bytes -= this.#kept.shift()?.length ?? 0;
    }
    if (this.#kept.length >= KEPT_CHUNKS) this.#join();
  }

  judge(exitCode: number): boolean {
    if (exitCode === 0) return false;
    const text = this.#join().toString("latin1").toLowerCase();
    if (SIGNS.some((sign) => text.includes(sign))) return true;
    return !PLAIN_FAILURES.includes(exitCode) && exitCode === BAD_CALL;
  }

  /** Nobody asks any more. */
  forget(): void {
    this.#kept = [];
    this.#bytes = 0;
  }

  #join(): Buffer {
    const end = Buffer.concat(this.#kept).subarray(-KEPT_BYTES);
    this.#kept = [end];
    this.#bytes = end.length;
    return end;
  }
}
