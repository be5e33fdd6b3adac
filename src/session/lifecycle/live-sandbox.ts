/** A sandbox at hand, and who uses it. */
import type { SandboxIntent } from "../../exec/index.ts";
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import { isOver } from "../refusal.ts";
import type { SandboxOrigin } from "../session-event.ts";
import type { SessionReference } from "../session-reference.ts";

export interface LiveParts {
  readonly sandbox: ProvidedSandbox;
  readonly generation: number;
  readonly origin: SandboxOrigin;
  /** What it was made under; null where that is not known. */
  readonly base: SandboxIntent | null;
  /** Names what it started from; null where that is nothing. */
  readonly dependencies: string | null;
}

/** What a look at a sandbox found. */
export type Look = "fits" | "tooNarrow" | { readonly isOver: unknown };

export class LiveSandbox {
  readonly sandbox: ProvidedSandbox;
  readonly generation: number;
  readonly origin: SandboxOrigin;
  readonly dependencies: string | null;
  isPrepared = false;
  /** Of the skills that are on its shelf; a new one has none, and of another one nobody knows. */
  shelfVersion: number;
  isAnnounced = false;
  #base: SandboxIntent | null;
  #isBaseSure: boolean;
  #fitting: SandboxIntent | undefined;
  #users = 0;
  #unused: PromiseWithResolvers<void> | undefined;

  constructor({ sandbox, generation, origin, base, dependencies }: LiveParts) {
    this.sandbox = sandbox;
    this.generation = generation;
    this.origin = origin;
    this.dependencies = dependencies;
    this.#base = base;
    this.#isBaseSure = origin !== "reused";
    this.shelfVersion = origin === "reused" ? -1 : 0;
  }

  get reference(): SessionReference {
    const { id, boundDigest } = this.sandbox;
    return { id, boundDigest, generation: this.generation, dependencies: this.dependencies };
  }

  get base(): SandboxIntent | null {
    return this.#base;
  }

  /** Counts somebody who works in it; returns how to stop counting. */
  use(): () => void {
    let isUsed = true;
    this.#users += 1;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users === 0) this.#unused?.resolve();
    };
  }

  /** Settles when nobody works in it. */
  async unused(): Promise<void> {
    if (this.#users === 0) return;
    this.#unused ??= Promise.withResolvers();
    await this.#unused.promise;
  }

  /** Whether it lives, and is good for what `intent` allows. Throws where nobody can say. */
  async look(intent: SandboxIntent, signal: AbortSignal): Promise<Look> {
    try {
      await this.sandbox.probe(signal);
      return (await this.#fits(intent)) ? "fits" : "tooNarrow";
    } catch (error) {
      if (isOver(error)) return { isOver: error };
      throw error;
    }
  }

  /** The policy that counts is the one of now. What an earlier turn says it was is held against the sandbox first. */
  async #fits(intent: SandboxIntent): Promise<boolean> {
    if (this.#fitting === intent) return true;
    const base = await this.#sureBase(intent);
    if (base === null) return false;
    if (base !== intent && !(await this.sandbox.isWithin(intent, base))) return false;
    this.#fitting = intent;
    return true;
  }

  async #sureBase(intent: SandboxIntent): Promise<SandboxIntent | null> {
    if (this.#isBaseSure) return this.#base;
    for (const candidate of [this.#base, intent]) {
      if (candidate === null) continue;
      if ((await this.sandbox.digestOf(candidate)) !== this.sandbox.boundDigest) continue;
      this.#base = candidate;
      this.#isBaseSure = true;
      return candidate;
    }
    return null;
  }
}
