/**
 * What holds for every provider of sandboxes, whoever runs it and wherever.
 *
 * One table of behaviours over a function that makes a provider. What a provider
 * is known not to have is an option here and not a test left out in silence.
 */
import { describe } from "vitest";
import type { SandboxProvider } from "../../../src/session/provider/sandbox-provider.ts";
import { commandBehaviours } from "./behaviours/command-behaviours.ts";
import { fileBehaviours } from "./behaviours/file-behaviours.ts";
import { lifeBehaviours } from "./behaviours/life-behaviours.ts";
import { placeBehaviours } from "./behaviours/place-behaviours.ts";

export interface ProviderLab {
  readonly provider: SandboxProvider;
  /** A folder that the user of the sandboxes owns. */
  readonly workspace: string;
  /** Beside it, where no policy lets anybody write. */
  readonly outside: string;
  /** Ends a sandbox without a word to the provider. */
  strike(id: string): Promise<unknown>;
}

/** What a provider is known not to have. */
export interface ProviderOptions {
  /** Whether its sandboxes have a home, tmp and loopback of their own, and an end. */
  readonly hasPlaces: boolean;
}

/** Makes a provider and a workspace for one test. */
export type MakeLab = () => Promise<ProviderLab>;

/** Runs the table against a provider. */
export function providerContract(name: string, make: MakeLab, options: ProviderOptions): void {
  describe(name, () => {
    lifeBehaviours(make, options);
    commandBehaviours(make);
    fileBehaviours(make);
    if (options.hasPlaces) placeBehaviours(make);
  });
}
