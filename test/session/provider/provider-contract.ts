/**
 * What holds for every provider of sandboxes, whoever runs it and wherever.
 *
 * One table of behaviours over a function that makes a provider. What a provider
 * is known not to have is an option here and not a test left out in silence.
 */
import { describe } from "vitest";
import type { SandboxProvider } from "../../../src/session/provider/sandbox-provider.ts";
import { commandBehaviours } from "./behaviours/command-behaviours.ts";
import { endBehaviours } from "./behaviours/end-behaviours.ts";
import { fileBehaviours } from "./behaviours/file-behaviours.ts";
import { inputBehaviours, noInputBehaviours } from "./behaviours/input-behaviours.ts";
import { lifeBehaviours } from "./behaviours/life-behaviours.ts";
import { placeBehaviours } from "./behaviours/place-behaviours.ts";
import { ruledFileBehaviours, unruledFileBehaviours } from "./behaviours/ruled-file-behaviours.ts";
import { type IntentIn, intentIn } from "./support/sandbox-of.ts";

export interface ProviderLab {
  readonly provider: SandboxProvider;
  /** A folder that the user of the sandboxes owns. */
  readonly workspace: string;
  /** Beside it, where no policy lets anybody write. */
  readonly outside: string;
  /** Ends a sandbox without a word to the provider. */
  strike(id: string): Promise<unknown>;
}

/** What a provider is known to have, and what not. */
export interface ProviderOptions {
  /** Whether its sandboxes have a home, tmp and loopback of their own, and keep narrower policies. */
  readonly hasPlaces: boolean;
  /** Whether its sandboxes can end by themselves. */
  readonly hasEnd: boolean;
  /** Whether it keeps rules for files. */
  readonly rulesFiles: boolean;
  /** Whether its commands can be typed into. */
  readonly takesInput: boolean;
  /** What its sandboxes are made under; the one of `read-only` allows less than the other. */
  readonly intentIn: IntentIn;
}

/** What every sandbox on an executor has. */
export const ON_EXECUTOR = { rulesFiles: true, takesInput: true, intentIn } as const;

/** Makes a provider and a workspace for one test. */
export type MakeLab = () => Promise<ProviderLab>;

/** Runs the table against a provider. */
export function providerContract(name: string, make: MakeLab, options: ProviderOptions): void {
  describe(name, () => {
    lifeBehaviours(make, options);
    commandBehaviours(make, options);
    fileBehaviours(make, options);
    if (options.hasPlaces) placeBehaviours(make, options);
    if (options.hasEnd) endBehaviours(make, options);
    if (options.rulesFiles) ruledFileBehaviours(make, options);
    else unruledFileBehaviours(make, options);
    if (options.takesInput) inputBehaviours(make, options);
    else noInputBehaviours(make, options);
  });
}
