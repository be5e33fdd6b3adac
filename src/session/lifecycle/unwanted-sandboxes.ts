import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";

/** Sandboxes that nobody may use any more and that are not known to have ended. */
export class UnwantedSandboxes {
  readonly #left = new Set<ProvidedSandbox>();

  /** Ends one. Where that fails it is kept, to be ended by `stopAll`. */
  async stop(sandbox: ProvidedSandbox): Promise<void> {
    this.#left.add(sandbox);
    try {
      await sandbox.stop();
      this.#left.delete(sandbox);
    } catch {
      // It is tried again when the session ends, and there it is an error.
    }
  }

  /** Ends all that are left; throws what the first of them throws. */
  async stopAll(): Promise<void> {
    for (const sandbox of [...this.#left]) {
      await sandbox.stop();
      this.#left.delete(sandbox);
    }
  }
}
