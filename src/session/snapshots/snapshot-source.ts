/** What new sandboxes of a thread start from. */
import type { SandboxProvider } from "../provider/sandbox-provider.ts";
import type { SnapshotSupport } from "../provider/snapshot-support.ts";
import { Refusal } from "../refusal.ts";
import { type SessionClock, SYSTEM_CLOCK } from "../session-clock.ts";
import type { DependencyProfile } from "./dependency-profile.ts";
import { profileHash } from "./profile-hash.ts";
import { type ResolveRequest, resolveSnapshot } from "./resolve-snapshot.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export interface SnapshotSource {
  /** Names what a sandbox made now would start from. */
  hash(): string;
  /** The id that the provider's `create` takes; found, or built first. */
  resolve(request: ResolveRequest): Promise<string>;
}

export interface SnapshotSourceParts {
  readonly profile: DependencyProfile;
  readonly provider: SandboxProvider;
  readonly store: SnapshotStore;
  readonly clock?: SessionClock;
}

/** A source for the sandboxes of a provider. Asks nothing of anybody yet. */
export function createSnapshotSource(parts: SnapshotSourceParts): SnapshotSource {
  const { profile, provider, store, clock = SYSTEM_CLOCK } = parts;
  return {
    hash: () => profileHash(profile, supportOf(provider).runtime()),
    async resolve(request) {
      const place = { profile, provider: provider.name, support: supportOf(provider) };
      const { snapshot } = await resolveSnapshot({ ...place, store, clock }, request);
      return snapshot.id;
    },
  };
}

function supportOf({ name, snapshots }: SandboxProvider): SnapshotSupport {
  if (snapshots !== undefined) return snapshots;
  throw new Refusal(
    "unsupported",
    `Cannot install dependencies for a sandbox of "${name}": it starts from nothing that was built before, expected an environment that does. Use the one of this machine, or take [dependencies] out of the settings`,
  );
}
