/**
 * Sandboxes on an executor, of this machine or of another.
 *
 * Each is an anchor of that executor and ends with it. Nothing is kept across
 * processes: what another one made is not found, and is over.
 */
import { randomUUID } from "node:crypto";
import type { Executor } from "../../../exec/index.ts";
import { Refusal, refuseAborted } from "../../refusal.ts";
import { SessionError } from "../../session-error.ts";
import { type Attempt, whatOf } from "../attempt.ts";
import type {
  CreateRequest,
  GetRequest,
  SandboxProvider,
  SandboxSummary,
} from "../sandbox-provider.ts";
import { type Apart, type Ground, groundOn } from "./ground.ts";
import { LocalSandbox } from "./local-sandbox.ts";
import type { HeldLayer, LocalSnapshots } from "./snapshots/local-snapshots.ts";
import { attempting } from "./to-session-error.ts";

export interface LocalProviderOptions {
  readonly executor: Executor;
  /** How long a sandbox lasts unless it is extended; one does not end by itself where it is left out. */
  readonly lifetimeMs?: number;
  /** What sandboxes may start from; for an executor of this machine. */
  readonly snapshots?: LocalSnapshots | undefined;
  /** What writes stay in a sandbox and go with it; where nothing is said, none of the workspace and of layers. */
  readonly apart?: Apart | undefined;
}

export interface LocalProvider extends SandboxProvider {
  /**
   * What its sandboxes stand on. Where the executor has no anchors they have no home, tmp and
   * loopback of their own, and live as long as it answers.
   */
  readonly ground: "anchor" | "executor";
}

/** Of those that are over; then the oldest are forgotten. */
const MOST_STOPPED = 1000;
const NEVER = new AbortController().signal;

/** A provider on an executor, which stays the caller's to close. */
export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const { executor, lifetimeMs, snapshots, apart = {} } = options;
  refuseLifetime(lifetimeMs);
  refuseApart(apart, executor);
  const made = new Map<string, LocalSandbox>();

  return {
    name: "local",
    keepsWorkspace: apart.workspace !== true,
    ground: executor.anchors === undefined ? "executor" : "anchor",
    snapshots,
    async create({ thread, intent, workspace, snapshot, signal }) {
      const id = `sandbox-${randomUUID()}`;
      const layer = snapshot === undefined ? undefined : await holdLayer(snapshot, options);
      const bare = groundOn(executor, { id, thread, intent, workspace, layer: layer?.path, apart });
      const ground = layer === undefined ? bare : onLayer(bare, layer);
      const boundDigest = await openGround(ground, id, { intent, signal }).catch((error) => {
        layer?.release();
        throw error;
      });
      const parts = { id, thread, executor, ground, workspace, intent, boundDigest };
      const sandbox = new LocalSandbox({ ...parts, lifetimeMs: lifetimeMs ?? null });
      forgetOldest(made);
      made.set(id, sandbox);
      return sandbox;
    },
    async get(id, { thread, signal }: GetRequest) {
      refuseAborted(signal, `find "${id}"`);
      const sandbox = made.get(id);
      if (sandbox === undefined) {
        throw new SessionError(
          "missing",
          `Cannot find "${id}": there is none, expected one made here`,
        );
      }
      if (sandbox.thread === thread) return sandbox;
      const what = "it is of another thread, expected the one that made it";
      throw new Refusal("forbidden", `Cannot use "${id}": ${what}`);
    },
    list: () => Promise.all([...made.values()].map(summaryOf)),
  };
}

async function holdLayer(
  snapshot: string,
  { executor, snapshots }: LocalProviderOptions,
): Promise<HeldLayer> {
  if (snapshots !== undefined && executor.anchors !== undefined) return snapshots.hold(snapshot);
  throw new Refusal(
    "unsupported",
    `Cannot start from the snapshot "${snapshot}": this provider keeps none, expected one that does`,
  );
}

/** It is let go of when nothing runs on it any more. */
function onLayer(ground: Ground, { release }: HeldLayer): Ground {
  const close = async () => {
    await ground.close();
    release();
  };
  return { ...ground, close };
}

/** Makes it and learns what the policy comes to there; what was made for nothing is ended. */
async function openGround(
  ground: Ground,
  id: string,
  { intent, signal }: Pick<CreateRequest, "intent" | "signal">,
): Promise<string> {
  const attempt: Attempt = { verb: "make", thing: id, work: "look" };
  refuseAborted(signal, whatOf(attempt));
  await attempting(attempt, () => ground.open());
  try {
    refuseAborted(signal, whatOf(attempt));
    const { boundDigest } = await attempting(attempt, () => ground.compare(intent, intent));
    refuseAborted(signal, whatOf(attempt));
    return boundDigest;
  } catch (error) {
    // Where it cannot be reached, it ends with what it was reached through.
    await ground.close().catch(() => {});
    throw error;
  }
}

async function summaryOf(sandbox: LocalSandbox): Promise<SandboxSummary> {
  const { id, thread, createdAt } = sandbox;
  return { id, thread, status: await statusOf(sandbox), createdAt };
}

/** One that cannot be asked about is not called over. */
async function statusOf(sandbox: LocalSandbox): Promise<SandboxSummary["status"]> {
  try {
    await sandbox.probe(NEVER);
    return "running";
  } catch (error) {
    if (error instanceof SessionError && error.code === "stopped") return "stopped";
    throw error;
  }
}

function forgetOldest(made: Map<string, LocalSandbox>): void {
  const stopped = [...made.values()].filter(({ isStopped }) => isStopped);
  for (const { id } of stopped.slice(0, Math.max(0, stopped.length - MOST_STOPPED))) {
    made.delete(id);
  }
}

/** Without an overlay commands would write to the host, which is what was not to happen. */
function refuseApart(apart: Apart, { anchors }: Executor): void {
  const { workspace, layer } = apart;
  const isKnown = [workspace, layer].every((one) => one === undefined || typeof one === "boolean");
  if (typeof apart !== "object" || !isKnown) {
    throw new Refusal(
      "invalidInput",
      `Cannot make a provider: what it keeps apart is ${JSON.stringify(apart)}, expected "workspace" and "layer" as true or false`,
    );
  }
  if (!workspace || anchors?.hasOverlays) return;
  throw new Refusal(
    "unsupported",
    "Cannot keep writes apart from the workspace: this executor has no overlays, expected one that has",
  );
}

function refuseLifetime(ms: number | undefined): void {
  if (ms === undefined || (Number.isSafeInteger(ms) && ms > 0)) return;
  throw new Refusal(
    "invalidInput",
    `Cannot make a provider: its sandboxes would last ${ms} ms, expected a whole number from 1 on`,
  );
}
