/**
 * The way to the snapshot of a profile: the one that is kept, the one that somebody
 * is building, one built here, in this order.
 *
 * One process builds at a time for a profile; it is known by its life and not by
 * a clock, so that a build may take its time and a dead one holds nobody up.
 */
import { randomBytes } from "node:crypto";
import type { BuildStep, BuiltSnapshot, SnapshotSupport } from "../provider/snapshot-support.ts";
import { Refusal, refuseAborted } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import { SessionStoreError } from "../store/session-store-error.ts";
import { chooseSnapshot, type RebuildReason } from "./choose-snapshot.ts";
import type { DependencyProfile } from "./dependency-profile.ts";
import type { KeptSnapshot } from "./kept-snapshot.ts";
import { dependencyWords, isFloating, profileHash } from "./profile-hash.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export interface SnapshotPlace {
  readonly profile: DependencyProfile;
  /** Of the provider. */
  readonly provider: string;
  readonly support: SnapshotSupport;
  readonly store: SnapshotStore;
  readonly clock: SessionClock;
}

export interface ResolveRequest {
  /** `force` builds one in any case; an id says that this one is gone. */
  readonly replace?: "force" | { readonly id: string } | undefined;
  readonly onProgress?: ((progress: SnapshotProgress) => void) | undefined;
  readonly signal: AbortSignal;
}

export type SnapshotProgress =
  | { readonly phase: "waiting" | "built" }
  | { readonly phase: "building"; readonly reason: RebuildReason }
  | ({ readonly phase: "step" } & BuildStep);

export interface ResolvedSnapshot {
  readonly snapshot: KeptSnapshot;
  readonly outcome: "hit" | "hitAfterWait" | "built";
  /** Null where nothing was built. */
  readonly reason: RebuildReason | null;
}

const POLL_MS = 200;
/** Of somebody else's build, which may be of many packages over a slow line. */
const MOST_WAIT_MS = 30 * 60_000;
const HOUR_MS = 3_600_000;
const ID_BYTES = 8;

/** Finds or builds it. Throws a {@link Refusal}; then nothing is left behind. */
export async function resolveSnapshot(
  place: SnapshotPlace,
  request: ResolveRequest,
): Promise<ResolvedSnapshot> {
  place.support.refuse(place.profile);
  try {
    return await resolve(place, request);
  } catch (error) {
    if (!(error instanceof SessionStoreError)) throw error;
    throw new Refusal("unavailable", error.message, { cause: error });
  }
}

async function resolve(place: SnapshotPlace, request: ResolveRequest): Promise<ResolvedSnapshot> {
  const { profile, support, store, clock } = place;
  const hash = profileHash(profile, support.runtime());
  const seen = store.find(hash);
  const choice = choose(place, seen, request);
  if (choice.kind === "use") return { snapshot: choice.snapshot, outcome: "hit", reason: null };
  // What somebody made since will do, also where nothing may be old and where one was asked for by force.
  const madeSince = () => unlessSame(store.find(hash), seen);
  const id = randomBytes(ID_BYTES).toString("hex");
  const began = clock.now();
  for (let waited = false; !store.claim(hash, id); waited = true) {
    const other = madeSince();
    if (other !== undefined) return afterWait(other);
    if (!waited) request.onProgress?.({ phase: "waiting" });
    refuseLongWait(clock.now() - began);
    await pause(clock);
    refuseAborted(request.signal, "build the snapshot");
  }
  try {
    const other = madeSince();
    if (other !== undefined) return afterWait(other);
    refuseAborted(request.signal, "build the snapshot");
    return await build(place, { ...request, hash, id, reason: choice.reason });
  } finally {
    release(place, hash, id);
  }
}

/** What went wrong before is worth more; a claim that cannot be given back ends with this process. */
function release({ store }: SnapshotPlace, hash: string, id: string): void {
  try {
    store.release(hash, id);
  } catch (error) {
    if (!(error instanceof SessionStoreError)) throw error;
  }
}

function choose(
  { profile, clock }: SnapshotPlace,
  kept: KeptSnapshot | undefined,
  { replace }: ResolveRequest,
) {
  const maxAgeMs = isFloating(profile) ? profile.maxAgeHours * HOUR_MS : null;
  const demand = typeof replace === "object" ? { gone: replace.id } : (replace ?? "any");
  return chooseSnapshot({ kept, now: clock.now(), maxAgeMs, demand });
}

function unlessSame(
  found: KeptSnapshot | undefined,
  seen: KeptSnapshot | undefined,
): KeptSnapshot | undefined {
  return found?.id === seen?.id ? undefined : found;
}

function afterWait(snapshot: KeptSnapshot): ResolvedSnapshot {
  return { snapshot, outcome: "hitAfterWait", reason: null };
}

interface Building extends ResolveRequest {
  readonly hash: string;
  readonly id: string;
  readonly reason: RebuildReason;
}

/** It is there for others from `put` on, and not before. */
async function build(
  place: SnapshotPlace,
  { hash, id, reason, onProgress, signal }: Building,
): Promise<ResolvedSnapshot> {
  const { profile, provider, support, clock } = place;
  onProgress?.({ phase: "building", reason });
  const onStep = (step: BuildStep) => onProgress?.({ phase: "step", ...step });
  const built = await support.build({ profile, id, onStep, signal });
  const snapshot: KeptSnapshot = {
    ...{ id: built.id, profileHash: hash, provider, runtime: support.runtime() },
    createdAt: clock.now(),
    dependencies: dependencyWords(profile),
    bytes: built.bytes,
  };
  await publish(place, snapshot, built);
  await forgetOlder(place, snapshot);
  onProgress?.({ phase: "built" });
  return { snapshot, outcome: "built", reason };
}

async function publish(
  { support, store }: SnapshotPlace,
  snapshot: KeptSnapshot,
  { id }: BuiltSnapshot,
): Promise<void> {
  try {
    store.put(snapshot);
  } catch (error) {
    await support.remove(id).catch(() => {});
    throw error;
  }
}

/** Those that sandboxes stand on stay until somebody builds again. */
async function forgetOlder(
  { support, store }: SnapshotPlace,
  { id, profileHash: hash, provider }: KeptSnapshot,
): Promise<void> {
  const others = store
    .list()
    .filter((one) => one.profileHash === hash && one.provider === provider && one.id !== id);
  for (const other of others) {
    // What cannot be removed now is tried again the next time.
    if (store.remove(other.id) === "removed") await support.remove(other.id).catch(() => {});
  }
}

function refuseLongWait(ms: number): void {
  if (ms < MOST_WAIT_MS) return;
  throw new Refusal(
    "timeout",
    "Cannot wait for the snapshot any longer: another process has been building it for half an hour, expected it to be done. End that process and try again",
  );
}

async function pause(clock: SessionClock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(POLL_MS, resolve);
  await promise;
}
