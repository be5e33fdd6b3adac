/**
 * Makes a sandbox, from what was built before where the thread has dependencies.
 *
 * What it starts from may be gone although it is on record: then it is built
 * once more, and once only. Nothing is made where it cannot be had.
 */
import type { ProvidedSandbox } from "../provider/provided-sandbox.ts";
import type { CreateRequest } from "../provider/sandbox-provider.ts";
import { codeOf, refusalOf } from "../refusal.ts";
import type { SessionClock } from "../session-clock.ts";
import type { SandboxOrigin } from "../session-event.ts";
import type { SnapshotSource } from "../snapshots/snapshot-source.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { CurrentSandbox } from "./current-sandbox.ts";

export interface CreatedSandbox {
  readonly sandbox: ProvidedSandbox;
  readonly origin: SandboxOrigin;
  /** Names what it started from; null where that is nothing. */
  readonly dependencies: string | null;
}

/** While a snapshot is being written, its provider says so; that passes. */
const ATTEMPTS = 3;
const RETRY_MS = 1000;

export async function createSandbox(
  current: CurrentSandbox,
  { intent, signal }: Pick<CreateRequest, "intent" | "signal">,
): Promise<CreatedSandbox> {
  const { thread, workspace, snapshots, provider } = current.options;
  const request = { thread, intent, workspace, signal };
  try {
    if (snapshots === undefined) {
      return { sandbox: await provider.create(request), origin: "fresh", dependencies: null };
    }
    const dependencies = snapshots.hash();
    const sandbox = await fromSnapshot(current, snapshots, request);
    return { sandbox, origin: "snapshot", dependencies };
  } catch (error) {
    throw refusalOf(error, "make a sandbox");
  }
}

async function fromSnapshot(
  current: CurrentSandbox,
  snapshots: SnapshotSource,
  request: CreateRequest,
): Promise<ProvidedSandbox> {
  const { thread } = request;
  const find = (gone?: string) =>
    snapshots.resolve({
      signal: request.signal,
      onProgress: ({ phase }) => current.emit({ kind: "snapshot", phase, thread }),
      ...(gone !== undefined && { replace: { id: gone } }),
    });
  const snapshot = await find();
  try {
    return await boot(current, { ...request, snapshot });
  } catch (error) {
    if (codeOf(error) !== "snapshotMissing") throw error;
    return boot(current, { ...request, snapshot: await find(snapshot) });
  }
}

async function boot(
  { options: { provider }, clock }: CurrentSandbox,
  request: CreateRequest,
): Promise<ProvidedSandbox> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await provider.create(request);
    } catch (error) {
      if (codeOf(error) !== "snapshotting" || attempt === ATTEMPTS) throw error;
    }
    await unlessAborted(pause(clock), request.signal, "make a sandbox");
  }
}

async function pause(clock: SessionClock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(RETRY_MS, resolve);
  await promise;
}
