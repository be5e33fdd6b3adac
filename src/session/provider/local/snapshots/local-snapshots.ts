/**
 * Layers on this machine: built in a sandbox, and mounted read-only for the
 * commands of the sandboxes that start from them.
 */
import fs from "node:fs";
import type { Executor } from "../../../../exec/index.ts";
import { type AbsolutePath, parseAbsolutePath } from "../../../../policy/index.ts";
import { Refusal, refuseAborted } from "../../../refusal.ts";
import { SessionError } from "../../../session-error.ts";
import type { DependencyProfile } from "../../../snapshots/dependency-profile.ts";
import type { SnapshotStore } from "../../../snapshots/snapshot-store.ts";
import type { BuildRequest, BuiltSnapshot, SnapshotSupport } from "../../snapshot-support.ts";
import { buildLayer } from "./build-layer.ts";
import { checkLayer } from "./check-layer.ts";
import { BUILD_ROOM, type DiskRoom } from "./disk-watch.ts";
import { findSecrets } from "./find-secrets.ts";
import { findToolchain, runtimeOf } from "./find-toolchain.ts";
import { LayerFolders } from "./layer-folders.ts";
import { type BuildPlace, buildIntent, planBuild } from "./plan-build.ts";

export interface LocalSnapshotParts {
  readonly executor: Executor;
  readonly store: SnapshotStore;
  /** Writ's own folder, which the executor hides from every command. */
  readonly home: AbsolutePath;
  /** Of this process: where programs are found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How much of the disk a build may take; {@link BUILD_ROOM} where it is left out. */
  readonly room?: DiskRoom;
}

/** A layer that somebody stands on. */
export interface HeldLayer {
  readonly path: AbsolutePath;
  /** May be called again. */
  release(): void;
}

export class LocalSnapshots implements SnapshotSupport {
  readonly #parts: LocalSnapshotParts;
  readonly #folders: LayerFolders;

  constructor(parts: LocalSnapshotParts) {
    this.#parts = parts;
    this.#folders = new LayerFolders(parts.home);
  }

  runtime(): string {
    return runtimeOf(this.#parts.env);
  }

  refuse({ npm, system }: DependencyProfile): void {
    const [first] = system;
    if (first !== undefined) {
      throw unsupported(
        `install "${first}" of the system`,
        "sandboxes of this machine have its own system, expected it installed there and not asked for",
      );
    }
    if (this.#parts.executor.anchors === undefined) {
      throw unsupported("build a snapshot", "this machine has no place for it, expected Linux");
    }
    if (Object.keys(npm).length > 0) findToolchain(this.#parts.env);
  }

  async build(request: BuildRequest): Promise<BuiltSnapshot> {
    const { profile, id, signal } = request;
    const { executor, store, env, room = BUILD_ROOM } = this.#parts;
    const { anchors } = executor;
    if (anchors === undefined) throw unsupported("build a snapshot", "there is no place for it");
    await this.#folders.sweep(
      // What is being built first: from there it goes to those that are there, and never back.
      () => new Set([...store.building(), ...store.list().map((one) => one.id)]),
    );
    const layer = await this.#folders.make(id);
    try {
      const toolchain = Object.keys(profile.npm).length > 0 ? findToolchain(env) : undefined;
      const secrets = findSecrets(SYSTEM_SETTINGS);
      const place: BuildPlace = { layer, toolchain, resolver: resolverFile(), secrets };
      const intent = buildIntent(profile, place);
      const commands = planBuild(profile, place);
      await buildLayer(executor, anchors, { ...request, layer, intent, commands, room });
      const { bytes } = await checkLayer(layer);
      refuseAborted(signal, "build the snapshot");
      return { id, bytes };
    } catch (error) {
      await this.#folders.remove(id).catch(() => {});
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await this.#folders.remove(id);
  }

  /** Holds the layer of a snapshot for one sandbox. Throws `snapshotMissing`. */
  async hold(id: string): Promise<HeldLayer> {
    const giveBack = this.#parts.store.use(id);
    if (giveBack === undefined) throw missing(id);
    const release = () => {
      try {
        giveBack();
      } catch {
        // It is this process's, and does not count once that is over.
      }
    };
    const found = await this.#folders.find(id);
    if (found !== undefined) return { path: found, release };
    release();
    throw missing(id);
  }
}

/** Of the platform defaults, where passwords and keys are. */
const SYSTEM_SETTINGS = "/etc";

/** A link of the system's, where something else looks names up; it leads out of the platform defaults. */
function resolverFile(): AbsolutePath | undefined {
  try {
    return parseAbsolutePath(fs.realpathSync("/etc/resolv.conf"));
  } catch {
    return undefined;
  }
}

function missing(id: string): SessionError {
  return new SessionError(
    "snapshotMissing",
    `Cannot start from the snapshot "${id}": it is gone, expected it to be kept`,
  );
}

function unsupported(what: string, why: string): Refusal {
  return new Refusal("unsupported", `Cannot ${what}: ${why}`);
}
