import type { Executor } from "../../exec/index.ts";
import {
  createLocalProvider,
  type SandboxProvider,
  type SessionStore,
} from "../../session/index.ts";

/** Where sessions of threads are made and kept. */
export interface SessionPlaces {
  readonly store: SessionStore;
  providerOf(executor: Executor): SandboxProvider;
}

/** One provider an executor: it alone knows the sandboxes that it made. */
export function createSessionPlaces(store: SessionStore): SessionPlaces {
  const providers = new WeakMap<Executor, SandboxProvider>();
  return {
    store,
    providerOf(executor) {
      const known = providers.get(executor);
      if (known !== undefined) return known;
      const provider = createLocalProvider({ executor });
      providers.set(executor, provider);
      return provider;
    },
  };
}
