/**
 * Holds a network that commands can join, for as long as this process lives.
 *
 * A network namespace is there while somebody is in it or has it open. The
 * process that was made with it stays in it, and this one has it open: what is
 * joined later is joined by descriptor, never by the number of a process.
 */
import fs from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { namespaceAt } from "../linux/namespace-at.ts";
import { endProcessesOf } from "../placeholders/end-survivors.ts";
import { holdPlaceholders } from "../placeholders/hold-placeholders.ts";
import {
  identityOf,
  isRunning,
  livingPid,
  type ProcessIdentity,
} from "../placeholders/process-identity.ts";
import { recordRun } from "../placeholders/record-run.ts";
import { lackOf } from "../plan-on-host.ts";
import { locateBubblewrap } from "../probe/locate-bubblewrap.ts";
import { awaitBuilt } from "../run/await-built.ts";
import { type Launched, launch } from "../run/launch.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { HeldNetwork } from "./held-network.ts";
import { locateNsenter } from "./locate-nsenter.ts";
import { planAnchor } from "./plan-anchor.ts";

/** A network that is held. */
export interface NetworkAnchor {
  readonly network: HeldNetwork;
  /** False as soon as nobody vouches for it any more; `over` settles a moment later. */
  isHeld(): boolean;
  /** Settles when nothing of it is left here. */
  readonly over: Promise<void>;
  /** Lets go of it; settles when nothing of it is left. */
  close(): Promise<void>;
}

/** Starts to hold one; `records` is out of reach of every command. Throws {@link SandboxError}. */
export async function startAnchor(records: AbsolutePath): Promise<NetworkAnchor> {
  const programs = { bwrap: bubblewrap(), nsenter: locateNsenter() };
  const held = holdPlaceholders([], records);
  try {
    const holder = new Holder(programs, { records, run: held.run, release: held.release });
    await holder.begin();
    return holder;
  } catch (error) {
    held.release();
    throw error;
  }
}

interface Programs {
  readonly bwrap: AbsolutePath;
  readonly nsenter: AbsolutePath;
}

interface HolderPlace {
  readonly records: AbsolutePath;
  readonly run: string;
  readonly release: () => void;
}

const ALONE = ["ignore", "ignore", "ignore"] as const;
const PAUSE_MS = 1;
const MOST_LOOKS = 5000;

class Holder implements NetworkAnchor {
  readonly over: Promise<void>;
  readonly #programs: Programs;
  readonly #place: HolderPlace;
  readonly #launched: Launched;
  readonly #exited = new AbortController();
  #first: ProcessIdentity | undefined;
  #network: HeldNetwork | undefined;
  #opened: number[] = [];

  constructor(programs: Programs, place: HolderPlace) {
    this.#programs = programs;
    this.#place = place;
    const { records, run } = place;
    // In a session of its own: a key that interrupts a command is not meant for it.
    const where = { standard: ALONE, records, run, group: "own" } as const;
    this.#launched = launch(planAnchor(programs.bwrap), where);
    this.over = this.#follow();
  }

  get network(): HeldNetwork {
    if (this.#network !== undefined) return this.#network;
    throw new SandboxError("backendFailed", "Cannot join the network: nobody holds it");
  }

  /** Settles once the network is there. Whatever stands in the way, nothing stays. */
  async begin(): Promise<void> {
    try {
      await this.#build();
    } catch (error) {
      await this.close();
      throw error;
    }
    // It ends with this process, which does not wait for it.
    const { child } = this.#launched;
    child.unref();
    for (const stream of child.stdio) (stream as Socket | null | undefined)?.unref?.();
  }

  isHeld(): boolean {
    const pid = this.#first === undefined ? undefined : livingPid(this.#first);
    return !this.#exited.signal.aborted && typeof pid === "number" && isRunning(pid);
  }

  /** Until this the namespaces stay open, so that no other network gets their number or their descriptors. */
  async close(): Promise<void> {
    this.#launched.child.ref();
    this.#launched.child.kill("SIGKILL");
    await this.over;
    for (const fd of this.#opened.splice(0)) fs.closeSync(fd);
  }

  async #build(): Promise<void> {
    const { status, built } = this.#launched;
    built?.then(() => status?.look());
    const pid = await status?.pid;
    if (pid === undefined) throw cannotHold(`${this.#programs.bwrap} failed`);
    this.#first = identityOf(pid);
    recordRun(this.#place.records, this.#place.run, pid);
    const plan = planAnchor(this.#programs.bwrap);
    const fault = await awaitBuilt(plan, pid, { built, over: this.#exited.signal });
    if (fault !== undefined) throw cannotHold(fault);
    this.#network = this.#open(pid);
  }

  /** Opened first and asked after: whose they are cannot change behind it. */
  #open(pid: number): HeldNetwork {
    const [user, network] = ["user", "net"].map((kind) => {
      const fd = openOrThrow(`/proc/${pid}/ns/${kind}`);
      this.#opened.push(fd);
      return { path: `/proc/${process.pid}/fd/${fd}`, identity: namespaceAt(fd), kind };
    });
    const isOurs = this.isHeld() && parentOf(pid) === this.#launched.child.pid;
    if (!isOurs || !user || !network?.identity) throw cannotHold("it was over at once");
    for (const { kind, identity } of [user, network]) {
      if (identity === namespaceAt(`/proc/self/ns/${kind}`)) {
        throw cannotHold(`its ${kind} namespace is that of the host`);
      }
    }
    const { nsenter } = this.#programs;
    return { nsenter, user: user.path, network: network.path, identity: network.identity };
  }

  async #follow(): Promise<void> {
    const { child } = this.#launched;
    await new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    });
    this.#exited.abort("over");
    if (this.#first === undefined) endProcessesOf(this.#place.run);
    else await gone(this.#first);
    for (const stream of child.stdio) stream?.destroy();
    this.#place.release();
  }
}

/** Ends with its launcher, but a moment later. */
async function gone(first: ProcessIdentity): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const pid = livingPid(first);
    if (typeof pid !== "number" || !isRunning(pid)) return;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      return;
    }
    await sleep(PAUSE_MS);
  }
}

function bubblewrap(): AbsolutePath {
  if (process.platform !== "linux") {
    throw new SandboxError(
      "unsupportedHost",
      `Cannot make a sandbox: there are no namespaces on ${process.platform}`,
    );
  }
  const { path, primitive } = locateBubblewrap();
  if (path !== undefined) return parseAbsolutePath(path);
  throw new SandboxError("unsupportedHost", `Cannot make a sandbox: ${lackOf(primitive)}`);
}

function openOrThrow(place: string): number {
  try {
    return fs.openSync(place, fs.constants.O_RDONLY);
  } catch (cause) {
    throw cannotHold(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** The fourth field of proc(5), behind the name in brackets. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function cannotHold(why: string, cause?: unknown): SandboxError {
  return new SandboxError("backendFailed", `Cannot hold a network: ${why}`, { cause });
}
