/**
 * An executor of this machine among overlays: one process, for one anchor.
 *
 * It plans, looks at files, watches and starts commands as any other does, by the
 * paths of the host. What it finds there are the overlays, since it is started among
 * them; so there is nothing to translate, and no check that would have to know of them.
 */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { type AbsolutePath, parseAbsolutePath } from "../../policy/index.ts";
import { createLineTransport } from "../../rpc/index.ts";
import {
  type OverlaidProcess,
  type Overlay,
  SandboxError,
  startOverlaid,
  trustedPrograms,
} from "../../sandbox/index.ts";
import type { AnchorRequest } from "../anchor-operations.ts";
import { anchorsFolder } from "../anchors/anchor-folder.ts";
import { makeOwnFolder, type OwnFolder, sweepFolders } from "../anchors/make-anchor-folder.ts";
import type { ExecHost } from "../exec-host.ts";
import { PACKAGE_ROOT } from "../package-root.ts";
import { connectExecutor, type RemoteExecutor } from "../remote/connect-executor.ts";
import { executorOver } from "../remote/executor-at.ts";
import { writeOverlaidHost } from "./overlaid-host.ts";

export interface OverlaidQuestion {
  readonly host: ExecHost;
  readonly home: AbsolutePath;
  /** Real paths of folders. */
  readonly places: readonly AbsolutePath[];
  readonly request: AnchorRequest;
}

export interface OverlaidExecutor {
  readonly executor: RemoteExecutor;
  isAlive(): boolean;
  /** Does the first that is asked of it; one that does not answer is killed. */
  begin<T>(work: () => Promise<T>): Promise<T>;
  /** Settles when it is over, whatever ended it, and nothing of it is left. */
  readonly over: Promise<void>;
  /** Says farewell and ends it; one that does not answer is killed. */
  close(farewell?: () => Promise<unknown>): Promise<void>;
}

/** There is one connection, and nobody comes back over another. */
const ONCE = { retryMs: 1, budgetMs: 10_000 };
/** How long it has to begin, and to end. */
const BEGINNING_MS = 60_000;
const ENDING_MS = 5_000;

/** Starts one. Throws {@link SandboxError} or `ExecError`, and leaves nothing then. */
export async function startOverlaidExecutor(question: OverlaidQuestion): Promise<OverlaidExecutor> {
  const folder = await makeOwnFolder(anchorsFolder(question.host.records), ["records", "writes"]);
  try {
    return await begin(question, folder);
  } catch (error) {
    await folder.remove().catch(() => {});
    throw error;
  }
}

async function begin(question: OverlaidQuestion, folder: OwnFolder): Promise<OverlaidExecutor> {
  const { places, host } = question;
  const overlays = places.map((place, index) =>
    makeOverlay(place, `${folder.part("writes")}/${index}`),
  );
  const process = startOverlaid({
    overlays,
    command: PROGRAM,
    env: { ...host.env },
    told: tell(question, overlays, folder),
  });
  const ended = endOf(process);
  try {
    const executor = await punctually(process, BEGINNING_MS, () => connected(process));
    process.check();
    return lifetime({ process, executor, ended, folder });
  } catch (cause) {
    process.child.kill("SIGKILL");
    await ended;
    throw cannotStart(process, cause);
  }
}

const PROGRAM = [
  process.execPath,
  path.join(PACKAGE_ROOT, "dist/bin/main.js"),
  ...["exec-server", "--listen", "stdio", "--host-on", "3"],
] as const satisfies readonly [string, ...string[]];

function makeOverlay(place: AbsolutePath, folder: string): Overlay {
  const part = (name: string) => parseAbsolutePath(`${folder}/${name}`);
  const overlay = { path: place, upper: part("upper"), work: part("work") };
  for (const one of [folder, overlay.upper, overlay.work]) fs.mkdirSync(one, { mode: 0o700 });
  return overlay;
}

/** A command without a sandbox, or in one of somebody else, would see where writes are kept. */
function tell(
  { host, home, places, request }: OverlaidQuestion,
  overlays: readonly Overlay[],
  folder: OwnFolder,
): string {
  const { platform, tmpdir, homes, own } = host;
  const { layer, ids } = request;
  const isOverlaid = layer !== undefined && places.includes(layer.path);
  return writeOverlaidHost({
    host: {
      platform,
      tmpdir,
      homes,
      externalSandbox: "absent",
      own: { hidden: own.hidden, readOnly: own.readOnly },
      records: host.records,
      bounds: { ...host.bounds, waivers: "refused" },
    },
    home,
    overlays,
    records: folder.part("records"),
    trusted: trustedPrograms(),
    layer: isOverlaid ? { ...layer, access: "write" } : layer,
    ids,
  });
}

async function connected({ child }: OverlaidProcess): Promise<RemoteExecutor> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new SandboxError("backendFailed", "no pipes");
  const transport = createLineTransport({ input: stdout, output: stdin, label: "overlays" });
  return connectExecutor({ connect: executorOver(transport), clientName: "writ", times: ONCE });
}

async function endOf({ child }: OverlaidProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await Promise.race([once(child, "exit"), once(child, "error")]).catch(() => {});
}

interface Lifetime {
  readonly process: OverlaidProcess;
  readonly executor: RemoteExecutor;
  readonly ended: Promise<void>;
  readonly folder: OwnFolder;
}

function lifetime({ process: { child }, executor, ended, folder }: Lifetime): OverlaidExecutor {
  let isAlive = true;
  const over = ended.then(async () => {
    isAlive = false;
    await folder.remove();
    // One that was killed has left the folders of its anchor.
    await sweepFolders(folder.base);
  });
  over.catch(() => {});
  const close: OverlaidExecutor["close"] = (farewell = async () => {}) => {
    isAlive = false;
    return punctually({ child }, ENDING_MS, async () => {
      await farewell().catch(() => {});
      await executor.close();
      child.stdin?.end();
      await over;
    });
  };
  const begin = <T>(work: () => Promise<T>) => punctually({ child }, BEGINNING_MS, work);
  return { executor, over, isAlive: () => isAlive, begin, close };
}

/** Kills a process that has not done it by then; so whoever waits for it is told. */
async function punctually<T>(
  { child }: Pick<OverlaidProcess, "child">,
  ms: number,
  work: () => Promise<T>,
): Promise<T> {
  const late = setTimeout(() => child.kill("SIGKILL"), ms);
  return work().finally(() => clearTimeout(late));
}

function cannotStart(process: OverlaidProcess, cause: unknown): SandboxError {
  const why = process.complaint() || (cause instanceof Error ? cause.message : String(cause));
  return new SandboxError("backendFailed", `Cannot mount overlays for a session: ${why}`, {
    cause,
  });
}
